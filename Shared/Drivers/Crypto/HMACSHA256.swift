/// HMAC with SHA-256 (RFC 2104, FIPS 198-1), for cookies, webhooks and signed links.
public enum HMACSHA256 {
    /// Bytes of a SHA-256 block; longer keys are hashed first.
    private static let blockBytes = 64

    /// Returns the code of the message under the key; 32 bytes, to be compared with `constantTimeEqual`.
    public static func code(key: [UInt8], message: [UInt8]) -> [UInt8] {
        let short = key.count > blockBytes ? SHA256.hash(key) : key
        let block = short + [UInt8](repeating: 0, count: blockBytes - short.count)
        let inner = SHA256.hash(block.map { $0 ^ 0x36 }, message)
        return SHA256.hash(block.map { $0 ^ 0x5c }, inner)
    }
}
