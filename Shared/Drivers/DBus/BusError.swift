internal import CSystemd
internal import Glibc

/// A bus that cannot be used, or a message that cannot be written or read.
package struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    package let operation: String
    package let reason: String

    package var description: String { "\(operation): \(reason)" }

    /// Returns a result of libsystemd, or throws its error, which is a negative `errno`.
    @discardableResult
    static func checked(_ result: Int32, _ operation: String) throws(BusError) -> Int32 {
        guard result < 0 else { return result }
        throw BusError(operation: operation, reason: unsafe String(cString: strerror(-result)))
    }
}
