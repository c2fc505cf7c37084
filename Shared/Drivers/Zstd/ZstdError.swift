import CZstd

/// Why bytes could not be compressed or decompressed.
public struct ZstdError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed: `compress`, `decompress`.
    public let operation: String
    /// The library's reason, or this module's.
    public let reason: String

    /// Creates an error.
    public init(operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }

    /// Returns the number of bytes that a call returned, or throws its error.
    static func checked(_ result: Int, _ operation: String) throws(ZstdError) -> Int {
        guard ZSTD_isError(result) == 0 else {
            throw ZstdError(operation: operation, reason: unsafe String(cString: ZSTD_getErrorName(result)))
        }
        return result
    }

    public var description: String { "\(operation): \(reason)" }
}
