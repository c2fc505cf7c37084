import COpenSSL

/// Random bytes fit for keys, salts and tokens.
public enum Random {
    /// Returns `n` random bytes.
    ///
    /// Ends the process if the system has no randomness: nothing safe could follow.
    public static func bytes(_ n: Int) -> [UInt8] {
        precondition((0...CryptoLimits.messageBytes).contains(n), "more random bytes than the limit")
        var bytes = [UInt8](repeating: 0, count: n)
        let result = unsafe RAND_bytes(&bytes, Int32(n))
        precondition(result == 1, "the system has no randomness")
        return bytes
    }
}
