import CSodium

/// Passwords, stored as argon2id hashes (RFC 9106), so that a stolen vault is of little use.
///
/// Two passes over 32 MiB: above OWASP's minimum (19 MiB), and two at once still fit a small board. Each call takes
/// tens of milliseconds of one core, so callers bound how many run at once.
public enum PasswordHash {
    /// Returns the encoded hash, `$argon2id$v=19$m=32768,t=2,p=1$…`, with a random salt.
    public static func make(_ password: String) throws(CryptoError) -> String {
        precondition(isReady, "libsodium could not start")
        let operation = "password hash"
        let password = Array(password.utf8)
        guard password.count <= CryptoLimits.passwordBytes else {
            throw CryptoError(
                operation: operation, reason: "a password has at most \(CryptoLimits.passwordBytes) bytes")
        }
        var encoded = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let characters = password.map(CChar.init(bitPattern:))
        let result = unsafe crypto_pwhash_str(
            &encoded, characters, UInt64(characters.count), CryptoLimits.passwordOperations,
            CryptoLimits.passwordMemoryBytes)
        guard result == 0 else { throw CryptoError(operation: operation, reason: "not enough memory") }
        return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns whether the encoded hash is that of the password; false for anything malformed.
    public static func verify(_ password: String, against encoded: String) -> Bool {
        precondition(isReady, "libsodium could not start")
        let characters = password.utf8.map(CChar.init(bitPattern:))
        guard characters.count <= CryptoLimits.passwordBytes, let encoded = terminated(encoded) else { return false }
        return unsafe crypto_pwhash_str_verify(encoded, characters, UInt64(characters.count)) == 0
    }

    /// Returns the hash as a C string, or nil if it does not fit libsodium's buffers.
    private static func terminated(_ encoded: String) -> [CChar]? {
        let characters = encoded.utf8.map(CChar.init(bitPattern:))
        guard characters.count < Int(crypto_pwhash_STRBYTES), !characters.contains(0) else { return nil }
        return characters + [0]
    }

    /// Initialises libsodium at the first use; 0 is success and 1 "already initialised".
    private static let isReady = sodium_init() >= 0
}
