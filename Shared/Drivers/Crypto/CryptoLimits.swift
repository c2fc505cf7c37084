/// The limits of the cryptographic functions.
public enum CryptoLimits {
    /// Bytes of one message, ciphertext or additional datum: OpenSSL counts them in a C `int`.
    public static let messageBytes = 1 << 30
    /// Bytes of a PEM or DER text that is read.
    public static let documentBytes = 65_536
    /// UTF-8 bytes of a password; a limit on the work that one request can cause.
    public static let passwordBytes = 1_024
    /// Passes over memory that argon2id makes.
    public static let passwordOperations: UInt64 = 2
    /// Bytes of memory that argon2id fills: above OWASP's minimum of 19 MiB, small enough for a small board.
    public static let passwordMemoryBytes = 32 << 20
    /// Days that a server certificate is valid; browsers refuse more than 398.
    public static let leafDays = 397
    /// Days that a farm's own certificate authority is valid: ten years.
    public static let authorityDays = 3_653
    /// DNS names and addresses in one certificate.
    public static let certificateNames = 64
}
