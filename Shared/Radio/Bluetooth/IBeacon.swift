import Vocabulary

/// Apple's beacon format, in the manufacturer data of company 0x004C.
enum IBeacon {
    static let company: UInt16 = 0x004C

    /// Reads the data behind the company id: `02 15`, UUID, major, minor (big-endian), power at 1 m.
    ///
    /// Returns nil if it is other data of Apple's. More than 23 bytes are allowed, because some makers append a battery
    /// byte.
    static func read(_ body: ByteReader) -> Beacon.Kind? {
        var body = body
        guard body.remaining >= 23 else { return nil }
        do throws(Malformed) {
            guard try body.u16BE() == 0x0215 else { return nil }
            return .iBeacon(
                uuid: try body.take(16), major: try body.u16BE(), minor: try body.u16BE(), power: Int(try body.i8()))
        } catch {
            return nil
        }
    }
}
