internal import Glibc

/// The free and total space of a file system, without the blocks reserved for root, as `df` counts it.
public struct DiskSpace: Sendable, Equatable {
    /// Bytes that this process may still write.
    public let free: UInt64
    /// Bytes that are used or free.
    public let total: UInt64

    /// Creates a value, in bytes.
    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }

    /// Measures the file system that contains a path.
    public init(of path: String) throws(SystemError) {
        var about = statvfs()
        guard unsafe statvfs(path, &about) == 0 else { throw .last("statvfs", path) }
        let unit = UInt64(about.f_frsize)
        free = UInt64(about.f_bavail) * unit
        total = (UInt64(about.f_blocks) - UInt64(about.f_bfree) + UInt64(about.f_bavail)) * unit
    }
}

extension File {
    /// Creates a file of `bytes` bytes (0600) with its disk space allocated; on an error there is no file.
    public static func takeRoom(_ path: String, bytes: Int) throws(SystemError) {
        let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        let code = posix_fallocate(file.number, 0, off_t(bytes))
        guard code == 0 else {
            unsafe unlink(path)
            throw SystemError(code: code, operation: "allocate", path: path)
        }
    }
}
