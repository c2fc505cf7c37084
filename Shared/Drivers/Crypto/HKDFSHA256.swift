/// HKDF with SHA-256 (RFC 5869): derives keys from a shared secret.
public enum HKDFSHA256 {
    /// Returns `count` bytes, at most 32, derived from the secret: extract, then one round of expand.
    public static func derive(salt: [UInt8], secret: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        expand(extract(salt: salt, secret: secret), info: info, count: count)
    }

    /// Returns the pseudorandom key of a secret; 32 bytes.
    public static func extract(salt: [UInt8], secret: [UInt8]) -> [UInt8] {
        HMACSHA256.code(key: salt, message: secret)
    }

    /// Returns `count` bytes, at most 32, of a pseudorandom key.
    public static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition((1...32).contains(count), "one round of HKDF gives at most 32 bytes")
        return Array(HMACSHA256.code(key: key, message: info + [1]).prefix(count))
    }
}
