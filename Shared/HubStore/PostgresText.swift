import EventStore

/// An encoding of any text for PostgreSQL, which cannot store NUL.
///
/// U+0000 becomes U+0001 U+0001, and U+0001 becomes U+0001 U+0002. The encoding preserves the order by bytes and
/// prefixes.
enum PostgresText {
    static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 <= 1 }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte <= 1 { bytes.append(1) }
            bytes.append(byte <= 1 ? byte + 1 : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a text. A text that was not encoded here is returned unchanged where it has no valid escape.
    static func unescape(_ text: String) -> String {
        guard text.utf8.contains(1) else { return text }
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped, byte == 1 || byte == 2 {
                bytes[bytes.count - 1] = byte - 1
                isEscaped = false
            } else {
                bytes.append(byte)
                isEscaped = byte == 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first text in byte order after all that begin with `prefix`; nil if there is none.
    ///
    /// Increments the last scalar value, skipping the surrogates.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let raised = UnicodeScalar(next) else { continue }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            text.append(raised)
            return String(text)
        }
        return nil
    }
}
