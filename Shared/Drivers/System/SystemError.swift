internal import Glibc

/// An error of a system call.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The errno, for example `ENOENT`.
    public let code: Int32
    /// The operation that failed, in one or two words.
    public let operation: String
    /// The file of the operation; empty if there is none.
    public let path: String

    /// Creates an error with an errno.
    public init(code: Int32, operation: String, path: String = "") {
        self.code = code
        self.operation = operation
        self.path = path
    }

    /// Returns the error of the call that has just failed.
    static func last(_ operation: String, _ path: String = "") -> SystemError {
        SystemError(code: errno, operation: operation, path: path)
    }

    /// Returns the result of a C shim; throws if it is negative, which is -errno.
    static func checked(_ result: Int32, _ operation: String, _ path: String = "") throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(code: -result, operation: operation, path: path) }
        return result
    }

    /// Whether descriptors or memory ran out: a retry may succeed, and the error implies nothing about the file.
    public var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

    public var description: String {
        let meaning = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error"
        return path.isEmpty ? "\(operation): \(meaning)" : "\(operation) \(path): \(meaning)"
    }
}
