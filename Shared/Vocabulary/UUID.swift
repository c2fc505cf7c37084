public import JSON

/// A 128-bit name (RFC 9562), written in lower case with hyphens.
public struct UUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// The first sixteen of `bytes`; missing ones are zero.
    public init(bytes: [UInt8]) {
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<16 {
            let byte = UInt64(index < bytes.count ? bytes[index] : 0)
            if index < 8 { halves.0 = halves.0 << 8 | byte } else { halves.1 = halves.1 << 8 | byte }
        }
        (high, low) = halves
    }

    public var bytes: [UInt8] {
        (0..<16).map { index in
            UInt8(truncatingIfNeeded: index < 8 ? high >> (56 - index * 8) : low >> (120 - index * 8))
        }
    }

    /// Version 7: the time in milliseconds, then `random` (10 bytes).
    public static func timed(_ now: Instant, random: [UInt8]) -> UUID {
        let milliseconds = UInt64(max(now.microseconds, 0) / 1000)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - $0 * 8)) }
        bytes += random.prefix(10)
        return UUID(bytes: bytes).marked(version: 7)
    }

    /// The same bits with the version and the RFC's variant set.
    public func marked(version: UInt8) -> UUID {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(bytes: bytes)
    }

    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        let digits = Self.digits
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], let bytes = Hex.decode(parts.joined()) else { return nil }
        self.init(bytes: bytes)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

extension UUID: JSONReadable, JSONWritable {
    public init(json: JSONValue) throws(JSONError) {
        guard let id = UUID(try json.string()) else { throw json.error("expected a UUID") }
        self = id
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
