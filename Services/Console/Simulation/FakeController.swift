import Radio

/// A Bluetooth controller that speaks HCI in H4 form, with a SensorTag near it (Bluetooth Core, volume 4, part E).
struct FakeController {
    private var stream = HCIStream()
    private var tag = FakeSensorTag()
    private var isScanning = false
    private(set) var isConnected = false

    private static let handle: UInt16 = 0x40

    /// Returns the controller's responses to bytes of the hub.
    mutating func answer(_ bytes: [UInt8]) -> [UInt8] { stream.feed(bytes).flatMap { answer(packet: $0.bytes) } }

    /// Returns what happens by itself: an advertisement, or a notification of the connected tag.
    func tick(celsius: Double, humidity: Double) -> [UInt8] {
        if isConnected {
            return tag.notification(celsius: celsius, humidity: humidity).map(Self.data) ?? []
        }
        guard isScanning else { return [] }
        let data = FakeSensorTag.advertisement
        return Self.lowEnergy(
            [2, 1, 0, 0] + Self.address + [UInt8(data.count)] + data + [UInt8(bitPattern: -58)])
    }

    private mutating func answer(packet: [UInt8]) -> [UInt8] {
        do throws(Malformed) {
            var reader = ByteReader(packet)
            switch try reader.u8() {
            case 0x01:
                let opcode = try reader.u16()
                try reader.skip(1)
                return command(opcode, reader.rest)
            case 0x02:
                // Handle and length, then the L2CAP length and channel: the tag has that of attributes only.
                try reader.skip(6)
                guard try reader.u16() == 4, isConnected else { return [] }
                return Self.sent + (tag.answer(reader.rest).map(Self.data) ?? [])
            default: return []
            }
        } catch {
            return []
        }
    }

    private mutating func command(_ opcode: UInt16, _ parameters: [UInt8]) -> [UInt8] {
        switch opcode {
        case 0x1005: return Self.complete(opcode, [251, 0, 0, 8, 0, 0, 0])
        case 0x2002: return Self.complete(opcode, [251, 0, 8])
        case 0x200C:
            isScanning = parameters.first == 1
            return Self.complete(opcode)
        case 0x200D:
            isConnected = true
            // Success, the handle, the role of central, the peer, 50 ms, no latency, 4 s.
            let connection = [1, 0, UInt8(Self.handle), 0, 0, 0] + Self.address + [40, 0, 0, 0, 0x90, 1, 0]
            return Self.status(opcode) + Self.lowEnergy(connection)
        case 0x200E: return Self.complete(opcode, status: 0x0C)
        case 0x0406:
            isConnected = false
            tag.disconnect()
            return Self.status(opcode) + Self.event(0x05, [0, UInt8(Self.handle), 0, 0x16])
        case 0x0C03:
            self = FakeController(continuing: stream)
            return Self.complete(opcode)
        default: return Self.complete(opcode)
        }
    }

    init() {}

    private init(continuing stream: HCIStream) { self.stream = stream }

    // MARK: Packets

    private static var address: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: FakeSensorTag.address >> ($0 * 8)) } }

    private static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [0x04, code, UInt8(parameters.count)] + parameters
    }

    private static func lowEnergy(_ parameters: [UInt8]) -> [UInt8] { event(0x3E, parameters) }

    private static func complete(_ opcode: UInt16, _ more: [UInt8] = [], status: UInt8 = 0) -> [UInt8] {
        event(0x0E, [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), status] + more)
    }

    private static func status(_ opcode: UInt16) -> [UInt8] {
        event(0x0F, [0, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)])
    }

    /// One packet of the connection was sent.
    private static var sent: [UInt8] { event(0x13, [1, UInt8(handle), 0, 1, 0]) }

    private static func data(_ message: [UInt8]) -> [UInt8] {
        var packet = ByteWriter()
        packet.u8(0x02)
        packet.u16(handle | 0x2000)
        packet.u16(UInt16(message.count + 4))
        packet.u16(UInt16(message.count))
        packet.u16(4)
        packet.append(message)
        return packet.bytes
    }
}
