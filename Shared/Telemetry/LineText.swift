/// Builds one JSON object as text, within a bound.
struct LineText {
    private(set) var bytes: [UInt8] = Array("{".utf8)
    /// Whether a member was left out or truncated.
    private(set) var isCut = false
    private let bound: Int

    init(bound: Int) {
        self.bound = bound
    }

    /// Adds a member with a string value; leaves it out if it does not fit.
    mutating func add(_ key: String, _ value: String) {
        add(key, raw: quoted(value))
    }

    mutating func add(_ key: String, raw value: [UInt8]) {
        let key = quoted(key)
        guard bytes.count + key.count + value.count + 2 <= bound else {
            isCut = true
            return
        }
        bytes += (bytes.count > 1 ? [UInt8(ascii: ",")] : []) + key + [UInt8(ascii: ":")] + value
    }

    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Returns the text as a JSON string (RFC 8259 section 7), truncated between two characters if it is too long.
    private mutating func quoted(_ text: String) -> [UInt8] {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for scalar in text.unicodeScalars {
            let piece = Self.escaped(scalar)
            guard quoted.count + piece.count < TelemetryLimits.valueBytesMax else {
                isCut = true
                break
            }
            quoted += piece
        }
        return quoted + [UInt8(ascii: "\"")]
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> [UInt8] {
        switch scalar {
        case "\"", "\\": [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
        case "\u{0}"..."\u{1F}", "\u{7F}": Array("\\u\(String(0x1_0000 + scalar.value, radix: 16).dropFirst())".utf8)
        default: Array(String(scalar).utf8)
        }
    }
}
