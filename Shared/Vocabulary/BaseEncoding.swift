/// Base 32 and base 64 encodings of bytes (RFC 4648), most significant bit first.
public struct BaseEncoding: Sendable {
    /// Upper-case base 32 without padding: fits a QR code's alphanumeric mode.
    public static let base32 = BaseEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, pads: false)
    /// Base 64 with padding.
    public static let base64 = BaseEncoding(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6, pads: true)
    /// Base 64 with the URL-safe alphabet, without padding.
    public static let base64url = BaseEncoding(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", bits: 6, pads: false)

    private let letters: [UInt8]
    private let values: [UInt8]
    private let bits: Int
    private let pads: Bool

    private init(_ alphabet: String, bits: Int, pads: Bool) {
        letters = Array(alphabet.utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        self.values = values
        self.bits = bits
        self.pads = pads
    }

    /// Returns the encoded text, with padding if the encoding has it.
    public func encode(_ bytes: [UInt8]) -> String {
        let room = (bytes.count * 8 + bits - 1) / bits
        let padded = pads ? (room + 3) & ~3 : room
        let text = [UInt8](capacity: padded) { text in
            // Local copies for the loop; no shift in it is as wide as the number.
            let (bytes, letters, bits, mask) = (bytes.span, letters.span, bits, 1 << bits - 1)
            var pending = 0
            var width = 0
            for index in bytes.indices {
                pending = (pending &<< 8 | Int(bytes[index])) & 0xFFFF
                width &+= 8
                while width >= bits {
                    width &-= bits
                    text.append(letters[pending &>> width & mask])
                }
            }
            if width > 0 { text.append(letters[pending &<< (bits - width) & mask]) }
            text.append(repeating: UInt8(ascii: "="), count: padded - text.count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes; nil for a foreign letter, an impossible length, or left-over bits that are not zero.
    public func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.span
        var count = digits.count
        if pads {
            guard count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where count > 0 && digits[count - 1] == UInt8(ascii: "=") { count -= 1 }
        }
        var isWhole = true
        let bytes = [UInt8](capacity: count * bits / 8) { bytes in
            let (values, bits) = (values.span, bits)
            var pending = 0
            var width = 0
            for index in 0..<count {
                let value = values[Int(digits[index])]
                guard value != 255 else { return isWhole = false }
                pending = (pending &<< bits | Int(value)) & 0xFFFF
                width &+= bits
                if width >= 8 {
                    width &-= 8
                    bytes.append(UInt8(truncatingIfNeeded: pending &>> width))
                }
            }
            isWhole = width < bits && pending & (1 << width - 1) == 0
        }
        return isWhole ? bytes : nil
    }
}
