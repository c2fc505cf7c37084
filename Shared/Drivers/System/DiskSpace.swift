internal import Glibc

/// How much room the file system that holds a path has, as `df` counts it: what only root may use is no room.
public struct DiskSpace: Sendable, Equatable {
    /// Bytes that this process may still write.
    public let free: UInt64
    /// Bytes that are used and that are free, together.
    public let total: UInt64

    public init(free: UInt64, total: UInt64) {
        self.free = free
        self.total = total
    }

    public init(of path: String) throws(SystemError) {
        var about = statvfs()
        guard unsafe statvfs(path, &about) == 0 else { throw .last("statvfs", path) }
        let unit = UInt64(about.f_frsize)
        free = UInt64(about.f_bavail) * unit
        total = (UInt64(about.f_blocks) - UInt64(about.f_bfree) + UInt64(about.f_bavail)) * unit
    }
}

extension File {
    /// Makes a file of so many bytes (0600) whose room on the disk is really taken; on an error there is none.
    public static func takeRoom(_ path: String, bytes: Int) throws(SystemError) {
        let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        let code = posix_fallocate(file.number, 0, off_t(bytes))
        guard code == 0 else {
            unsafe unlink(path)
            throw SystemError(code: code, operation: "allocate", path: path)
        }
    }
}
