import COpenSSL

/// Why a cryptographic operation failed.
///
/// Neither field contains key material, plaintext or bytes of external input.
public struct CryptoError: Error, Equatable, Sendable {
    /// What was being done: `AES-CCM open`, `P-256 key from PEM`.
    public let operation: String
    /// What went wrong, in a few words.
    public let reason: String

    /// Creates the error of an operation with a short reason.
    public init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    /// Returns the newest entry of the calling thread's OpenSSL error queue and empties the queue.
    ///
    /// A stale entry would be attributed to a later call.
    static func openSSL(_ operation: String) -> CryptoError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let text = unsafe ERR_reason_error_string(code) else {
            return CryptoError(operation: operation, reason: "refused")
        }
        return CryptoError(operation: operation, reason: unsafe String(cString: text))
    }
}
