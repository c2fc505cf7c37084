import EventStore

/// Text as PostgreSQL can hold it: everything but NUL.
///
/// U+0000 becomes U+0001 U+0001 and U+0001 becomes U+0001 U+0002, all else stays as it is. Texts keep their order by
/// bytes, and a prefix stays a prefix.
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

    /// The text again; what nobody here has written stays as it is.
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

    /// The first text behind all that begin with `prefix`, for byte order; nil if there is no end.
    ///
    /// The last scalar is raised by one, over the gap of the surrogates.
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
