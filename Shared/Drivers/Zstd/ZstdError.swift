import CZstd

/// Why bytes could not be packed or unpacked.
public struct ZstdError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was being done: `compress`, `decompress`.
    public let operation: String
    /// What went wrong, in the library's words or ours.
    public let reason: String

    public init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    /// What a call answered: a number of bytes, or an error.
    static func checked(_ result: Int, _ operation: String) throws(ZstdError) -> Int {
        guard ZSTD_isError(result) == 0 else {
            throw ZstdError(operation: operation, reason: unsafe String(cString: ZSTD_getErrorName(result)))
        }
        return result
    }

    public var description: String { "\(operation): \(reason)" }
}
