/// One packet between a Bluetooth controller and its host, in H4 form (Bluetooth Core, volume 4, parts A and E).
public struct HCIPacket: Hashable, Sendable {
    public var kind: Kind
    /// The advertisements of an LE (Extended) Advertising Report event; empty for every other packet.
    public var advertisements: [Advertisement]
    /// The error at which the packet ends early; `advertisements` contains those before it.
    public var problem: Malformed?

    /// The type byte at the start of each packet.
    public enum Kind: UInt8, Sendable {
        case command = 1
        case asynchronousData = 2
        case synchronousData = 3
        case event = 4
        case isochronousData = 5
    }

    /// The code of an LE Meta event.
    static let lowEnergy: UInt8 = 0x3E

    /// Reads one packet. Throws if it is too short or not in H4 form.
    ///
    /// Bytes behind the length that an event claims are ignored, as receivers of serial streams do.
    public init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = ByteReader(bytes)
        guard let kind = Kind(rawValue: try reader.u8()) else { throw Malformed("no such H4 packet type", at: 0) }
        self.kind = kind
        advertisements = []
        guard kind == .event else { return }
        let code = try reader.u8()
        let length = Int(try reader.u8())
        guard code == Self.lowEnergy else {
            try reader.need(length)
            return
        }
        let isCutOff = length > reader.remaining
        var event = try reader.part(min(length, reader.remaining))
        let subevent = try event.u8()
        guard subevent == 0x02 || subevent == 0x0D else { return }
        let count = try event.u8()
        do throws(Malformed) {
            for _ in 0..<count {
                advertisements.append(try subevent == 0x02 ? Self.legacy(&event) : Self.extended(&event))
            }
        } catch {
            problem = error
        }
        if isCutOff, problem == nil { problem = Malformed("the event is longer than the packet", at: bytes.count) }
    }

    private static func legacy(_ reader: inout ByteReader) throws(Malformed) -> Advertisement {
        let eventType = try reader.u8()
        let addressType = try reader.u8()
        let address = try reader.u48()
        let data = try reader.take(Int(try reader.u8()))
        return Advertisement(
            address: address, isRandomAddress: addressType & 1 == 1, isScanResponse: eventType == 4,
            rssi: signal(try reader.i8()), data: data)
    }

    private static func extended(_ reader: inout ByteReader) throws(Malformed) -> Advertisement {
        let eventType = try reader.u16()
        let addressType = try reader.u8()
        let address = try reader.u48()
        try reader.skip(2)  // primary and secondary PHY
        let set = try reader.u8()
        try reader.skip(1)  // transmit power
        let rssi = signal(try reader.i8())
        try reader.skip(2 + 1 + 6)  // periodic interval, direct address type and address
        let data = try reader.take(Int(try reader.u8()))
        // Data status: 1 is "more data to come", 2 is "truncated" (Bluetooth Core, volume 4, part E, 7.7.65.13).
        let status = eventType >> 5 & 3
        return Advertisement(
            address: addressType == 0xFF ? nil : address, isRandomAddress: addressType & 1 == 1,
            isScanResponse: eventType & 0x08 != 0, isExtended: eventType & 0x10 == 0, isIncomplete: status != 0,
            isTruncated: status > 1, set: set == 0xFF ? nil : set, rssi: rssi, data: data)
    }

    private static func signal(_ value: Int8) -> Int? { value == 127 ? nil : Int(value) }
}
