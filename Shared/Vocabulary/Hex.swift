/// Bytes as pairs of lower-case hexadecimal digits.
public enum Hex {
    /// Returns the digits of the bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span)
    }

    /// Returns the digits of the bytes.
    public static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        encode(bytes.span)
    }

    private static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            text.append(digit(bytes[index] >> 4))
            text.append(digit(bytes[index] & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads pairs of digits of either case; nil for anything else.
    public static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.span
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the digit of a number below 16.
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// Returns the value of a digit of either case; nil for anything else.
    @inline(__always)
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
