import CSodium

/// Passwords, kept as argon2id so that a stolen vault is of little use (RFC 9106).
///
/// Two passes over 32 MiB: above what OWASP asks for (19 MiB), and two at once still fit a small board. Each call takes
/// tens of milliseconds of one core, so callers bound how many run at once.
public enum PasswordHash {
    /// The encoded hash, `$argon2id$v=19$m=32768,t=2,p=1$…`, with a salt of its own.
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

    /// Whether the encoded hash was made of this password; false for anything malformed.
    public static func verify(_ password: String, against encoded: String) -> Bool {
        precondition(isReady, "libsodium could not start")
        let characters = password.utf8.map(CChar.init(bitPattern:))
        guard characters.count <= CryptoLimits.passwordBytes, let encoded = terminated(encoded) else { return false }
        return unsafe crypto_pwhash_str_verify(encoded, characters, UInt64(characters.count)) == 0
    }

    /// The hash as a C string, if it is short enough for libsodium's buffers.
    private static func terminated(_ encoded: String) -> [CChar]? {
        let characters = encoded.utf8.map(CChar.init(bitPattern:))
        guard characters.count < Int(crypto_pwhash_STRBYTES), !characters.contains(0) else { return nil }
        return characters + [0]
    }

    /// Started once, by whoever comes first; 0 is success and 1 "already".
    private static let isReady = sodium_init() >= 0
}
