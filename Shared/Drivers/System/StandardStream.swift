internal import Glibc

/// The standard output and error of this process.
public enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes all bytes; returns false if the reader is gone (a closed pipe).
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

extension Machine {
    /// The path of the running program; nil if the system does not report it.
    public static var executablePath: String? {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe path.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return unsafe readlink("/proc/self/exe", start, buffer.count)
        }
        guard count > 0, count < path.count else { return nil }
        return String(decoding: path[..<count], as: UTF8.self)
    }
}
