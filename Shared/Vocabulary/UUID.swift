public import JSON

/// A universally unique identifier of 128 bits (RFC 9562), written in lower case with hyphens.
public struct UUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// Creates an identifier from the first sixteen `bytes`; missing ones are zero.
    public init(bytes: [UInt8]) {
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<16 {
            let byte = UInt64(index < bytes.count ? bytes[index] : 0)
            if index < 8 { halves.0 = halves.0 << 8 | byte } else { halves.1 = halves.1 << 8 | byte }
        }
        (high, low) = halves
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - index * 8))
            bytes[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - index * 8))
        }
        return bytes
    }

    /// Returns an identifier of version 7: the time in milliseconds, then `random` (10 bytes).
    public static func timed(_ now: Instant, random: [UInt8]) -> UUID {
        timed(now, random: random[...])
    }

    /// Returns an identifier of version 7 from borrowed random bytes.
    public static func timed(_ now: Instant, random: ArraySlice<UInt8>) -> UUID {
        let milliseconds = UInt64(max(now.microseconds, 0) / 1000)
        var (high, low) = (milliseconds << 16, UInt64(0))
        for index in 0..<min(10, random.count) {
            let byte = UInt64(random[random.startIndex + index])
            if index < 2 { high |= byte << UInt64(8 - index * 8) } else { low |= byte << UInt64(72 - index * 8) }
        }
        return UUID(high: high, low: low).marked(version: 7)
    }

    /// Returns the same bits with the version and the RFC's variant set.
    public func marked(version: UInt8) -> UUID {
        UUID(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | UInt64(version & 0xF) << 12,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    public var description: String {
        let text = text
        return String(plain: text.span)
    }

    /// The 36 characters of `description`.
    private var text: InlineArray<36, UInt8> {
        var text: InlineArray<36, UInt8> = .init(repeating: UInt8(ascii: "-"))
        var place = 0
        for shift in stride(from: 60, through: 0, by: -4) {
            // A hyphen follows the 8th, the 12th and the 16th digit.
            if shift == 28 || shift == 12 { place += 1 }
            text[place] = Hex.digit(UInt8(truncatingIfNeeded: high >> UInt64(shift)) & 15)
            place += 1
        }
        place += 1
        for shift in stride(from: 60, through: 0, by: -4) {
            if shift == 44 { place += 1 }
            text[place] = Hex.digit(UInt8(truncatingIfNeeded: low >> UInt64(shift)) & 15)
            place += 1
        }
        return text
    }

    /// Reads the 36 characters, digits of either case; nil for anything else.
    public init?(_ text: String) {
        self.init(utf8: text.utf8.span)
    }

    /// Reads the 36 characters, digits of either case; nil for anything else.
    public init?(utf8 text: Span<UInt8>) {
        guard text.count == 36, text[8] == Self.hyphen, text[13] == Self.hyphen, text[18] == Self.hyphen,
            text[23] == Self.hyphen, let first = text.hexNumber(0..<8), let second = text.hexNumber(9..<13),
            let third = text.hexNumber(14..<18), let fourth = text.hexNumber(19..<23),
            let fifth = text.hexNumber(24..<36)
        else { return nil }
        self.init(high: first << 32 | second << 16 | third, low: fourth << 48 | fifth)
    }

    private static var hyphen: UInt8 { UInt8(ascii: "-") }
}

extension UUID: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        self = try json.text("expected a UUID") { UUID(utf8: $0) }
    }

    public func write(to json: inout JSONWriter) {
        let text = text
        json.string(plain: text.span)
    }
}
