/// Every size that this room accepts or makes.
public enum CryptoLimits {
    /// Bytes of one message, ciphertext or additional datum: OpenSSL counts them in a C `int`.
    public static let messageBytes = 1 << 30
    /// Bytes of a PEM or DER text that is read.
    public static let documentBytes = 65_536
    /// UTF-8 bytes of a password; more would only be work for the server.
    public static let passwordBytes = 1_024
    /// Passes over memory that argon2id makes.
    public static let passwordOperations: UInt64 = 2
    /// Bytes of memory that argon2id fills: above the 19 MiB that OWASP asks for, small enough for a small board.
    public static let passwordMemoryBytes = 32 << 20
    /// Days that a certificate of a server may live; browsers refuse more than 398.
    public static let leafDays = 397
    /// Days that a farm's own authority lives: ten years.
    public static let authorityDays = 3_653
    /// DNS names and addresses in one certificate.
    public static let certificateNames = 64
}
