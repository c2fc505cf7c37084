internal import Glibc

/// What the kernel said no to.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The errno, for example `ENOENT`.
    public let code: Int32
    /// What was tried, in one or two words.
    public let operation: String
    /// The file it was tried on; empty where there is none.
    public let path: String

    public init(code: Int32, operation: String, path: String = "") {
        self.code = code
        self.operation = operation
        self.path = path
    }

    /// The error of the call that failed just now.
    static func last(_ operation: String, _ path: String = "") -> SystemError {
        SystemError(code: errno, operation: operation, path: path)
    }

    /// The result of a C shim, which is -errno where it failed.
    static func checked(_ result: Int32, _ operation: String, _ path: String = "") throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(code: -result, operation: operation, path: path) }
        return result
    }

    /// Whether descriptors or memory ran out: the same may go well a moment later, and tells nothing of the file.
    public var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

    public var description: String {
        let meaning = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error"
        return path.isEmpty ? "\(operation): \(meaning)" : "\(operation) \(path): \(meaning)"
    }
}
