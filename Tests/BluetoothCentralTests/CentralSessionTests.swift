import Testing

@testable import BluetoothCentral
@testable import Radio

@Suite("A hub's session with its controller")
struct CentralSessionTests {
    private static let second: Int64 = 1_000_000

    @Test func `a SensorTag is connected and set up, and its values are returned`() throws {
        var bench = try SessionBench()
        bench.begin()
        #expect(bench.effects == [.started])
        bench.advertise()
        #expect(bench.controller.device.measures)
        #expect(bench.effects.contains(.connected(bench.peer, profile: "sensortag-cc2650")))
        #expect(bench.session.connected == [bench.peer])
        #expect(bench.controller.isScanning, "the scan goes on while a device is connected")
        bench.notify([0x66, 0x66, 0, 0x80])
        #expect(
            bench.effects.last
                == .value(
                    NotifiedValue(
                        peer: bench.peer, characteristic: "f000aa21-0451-4000-b000-000000000000",
                        value: [0x66, 0x66, 0, 0x80], sensor: "hdc1000", interval: 10)))
    }

    @Test func `a device that is gone is connected again when it advertises, after a pause`() throws {
        var bench = try SessionBench()
        bench.begin()
        bench.advertise()
        bench.lose()
        #expect(bench.effects.last == .disconnected(bench.peer, reason: "error 8"))
        #expect(bench.session.connected == [])
        bench.advertise()
        #expect(bench.session.connected == [])
        bench.now += Self.second
        bench.controller.device = VirtualDevice()
        bench.advertise()
        #expect(bench.session.connected == [bench.peer])
    }

    @Test func `the pause doubles with each failure, and is short again after a success`() throws {
        var attempts = ConnectionAttempts()
        #expect(attempts.isAllowed(1, at: 0))
        var pauses: [Int64] = []
        for _ in 0..<9 {
            attempts.noteEnd(1, at: 0)
            pauses.append((1...200).first { attempts.isAllowed(1, at: $0 * Self.second) } ?? 0)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 120, 120])
        attempts.noteSuccess(1)
        attempts.noteEnd(1, at: 0)
        #expect(attempts.isAllowed(1, at: Self.second))
    }

    @Test func `a device that does not respond is disconnected after 30 seconds`() throws {
        var bench = try SessionBench()
        bench.controller.isDeviceMute = true
        bench.begin()
        bench.advertise()
        bench.tick(seconds: 29)
        #expect(bench.controller.isConnected)
        bench.tick(seconds: 2)
        #expect(!bench.controller.isConnected)
        #expect(bench.effects.last == .disconnected(bench.peer, reason: "the device does not respond"))
    }

    @Test func `an attempt to connect is cancelled after 10 seconds, and scanning goes on`() throws {
        var bench = try SessionBench()
        bench.controller.connects = false
        bench.begin()
        bench.advertise()
        #expect(!bench.controller.isScanning)
        bench.tick(seconds: 9)
        #expect(!bench.controller.isScanning)
        bench.tick(seconds: 2)
        #expect(bench.controller.isScanning)
        #expect(!bench.effects.contains { if case .failed = $0 { true } else { false } })
    }

    @Test func `a controller that does not respond has failed after 5 seconds`() throws {
        var session = CentralSession([try .sensorTag])
        #expect(session.begin(at: 0) == [.send([1, 3, 0x0C, 0])])
        #expect(session.tick(at: 4 * Self.second) == [])
        #expect(session.tick(at: 5 * Self.second) == [.event(.failed("the controller does not respond"))])
    }

    @Test func `a controller that refuses to scan has failed`() throws {
        var bench = try SessionBench()
        bench.controller.refusals = [HCICommand.setScan(true).opcode: 0x11]
        bench.begin()
        #expect(bench.effects == [.failed("the controller cannot scan: error 17")])
    }

    @Test func `an advertisement of a device without a profile is returned, and nothing is connected`() throws {
        var bench = try SessionBench()
        bench.begin()
        bench.advertise(name: "Other")
        guard case .heard(let advertisement)? = bench.effects.last else {
            Issue.record("\(bench.effects)")
            return
        }
        #expect(advertisement.address == bench.peer.address && advertisement.rssi == -60)
        #expect(!bench.controller.isConnected && bench.controller.isScanning)
    }

    @Test func `bytes that belong to no packet are skipped`() throws {
        var bench = try SessionBench()
        bench.begin()
        bench.receive([0xFF, 0, 0x77])
        bench.advertise()
        #expect(bench.session.connected == [bench.peer])
    }
}

/// A session with a controller that does what the commands say, and one device.
struct SessionBench {
    var session: CentralSession
    var controller = VirtualController()
    var now: Int64 = 0
    /// What the session has reported.
    private(set) var effects: [CentralEvent] = []
    let peer = Peripheral(address: 0x546C_0E00_0001, isRandomAddress: false)

    init() throws { session = CentralSession([try .sensorTag]) }

    mutating func begin() { perform(session.begin(at: now)) }

    mutating func receive(_ bytes: [UInt8]) { perform(session.receive(bytes, at: now)) }

    mutating func tick(seconds: Int) {
        for _ in 0..<seconds {
            now += 1_000_000
            perform(session.tick(at: now))
        }
    }

    mutating func advertise(name: String = "CC2650 SensorTag") {
        let data = [UInt8(name.utf8.count + 1), 9] + Array(name.utf8)
        let address: [UInt8] = [1, 0, 0, 0x0E, 0x6C, 0x54]
        receive([4, 0x3E, UInt8(12 + data.count), 2, 1, 4, 0] + address + [UInt8(data.count)] + data + [0xC4])
    }

    mutating func notify(_ value: [UInt8]) { receive(controller.data([0x1B, 0x2B, 0] + value)) }

    mutating func lose() {
        controller.isConnected = false
        receive([4, 5, 4, 0, 0x40, 0, 8])
    }

    private mutating func perform(_ new: [CentralSession.Effect]) {
        var pending = new
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .event(let event): effects.append(event)
            case .send(let packet):
                for bytes in controller.respond(packet) { pending += session.receive(bytes, at: now) }
            }
        }
    }
}

/// A controller that has one buffer of 27 bytes, and connects to one device.
struct VirtualController {
    var device = VirtualDevice()
    var isDeviceMute = false
    var connects = true
    var refusals: [UInt16: UInt8] = [:]
    var isConnected = false
    private(set) var isScanning = false
    private var frames = FrameAssembler()
    private static let connection: [UInt8] = [
        0x40, 0, 0, 0, 1, 0, 0, 0x0E, 0x6C, 0x54, 0x28, 0, 0, 0, 0x90, 1, 0,
    ]

    /// Returns a message of the device as the controller passes it on.
    func data(_ message: [UInt8]) -> [UInt8] {
        [2, 0x40, 0x20, UInt8(message.count + 4), 0, UInt8(message.count), 0, 4, 0] + message
    }

    /// Returns the packets with which the controller responds.
    mutating func respond(_ packet: [UInt8]) -> [[UInt8]] {
        guard packet[0] == 1 else { return pass(packet) }
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        func complete(_ more: [UInt8] = []) -> [UInt8] {
            [4, 0x0E, UInt8(4 + more.count), 1, packet[1], packet[2], refusals[opcode] ?? 0] + more
        }
        let status: [UInt8] = [4, 0x0F, 4, refusals[opcode] ?? 0, 1, packet[1], packet[2]]
        switch opcode {
        case HCICommand.readBufferSize.opcode: return [complete([0, 0, 0, 0, 0, 0, 0])]
        case HCICommand.readLowEnergyBufferSize.opcode: return [complete([27, 0, 1])]
        case HCICommand.setScan(true).opcode:
            isScanning = packet[4] == 1
            return [complete()]
        case 0x200D:
            isConnected = connects
            return connects ? [status, [4, 0x3E, 19, 1, 0] + Self.connection] : [status]
        case HCICommand.cancelConnect.opcode: return [complete(), [4, 0x3E, 19, 1, 2] + Self.connection]
        case HCICommand.disconnect(0).opcode:
            isConnected = false
            return [status, [4, 5, 4, 0, 0x40, 0, 0x16]]
        default: return [complete()]
        }
    }

    private mutating func pass(_ packet: [UInt8]) -> [[UInt8]] {
        let sent: [UInt8] = [4, 0x13, 5, 1, 0x40, 0, 1, 0]
        do {
            let whole = try frames.take(Array(packet[5...]), isStart: packet[2] & 0x30 == 0)
            guard let whole, !isDeviceMute, let response = device.respond(whole.payload) else { return [sent] }
            return [sent, data(response)]
        } catch {
            return [sent]
        }
    }
}
