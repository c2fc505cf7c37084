/// The ZigBee device object: endpoint 0, profile 0 (ZigBee specification, section 2.4).
enum DeviceObject {
    static let endpoint: UInt8 = 0
    static let profile: UInt16 = 0x0000

    /// Returns the address pair in a message: a device announcement, or an address response.
    ///
    /// - Parameter data: The message without its transaction number.
    static func addresses(cluster: UInt16, data: [UInt8]) -> (short: UInt16, ieee: UInt64)? {
        var reader = ByteReader(data)
        do throws(Malformed) {
            switch cluster {
            case 0x0013:
                let short = try reader.u16()
                return (short, try reader.u64())
            case 0x8000, 0x8001:
                guard try reader.u8() == 0 else { return nil }
                let ieee = try reader.u64()
                return (try reader.u16(), ieee)
            default: return nil
            }
        } catch {
            return nil
        }
    }
}
