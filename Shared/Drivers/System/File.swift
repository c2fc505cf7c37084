internal import Glibc

/// Operations on whole files: reads with a limit, and atomic writes.
///
/// ```
/// try File.writeAtomically(path, bytes, mode: 0o600)
/// let bytes = try File.read(path, limit: 65_536)
/// ```
public enum File {
    /// Returns all bytes of a file; throws `EFBIG` if there are more than `limit`.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor(opening: path, O_RDONLY)
        var bytes: [UInt8] = []
        var about = stat()
        if unsafe fstat(file.number, &about) == 0 { bytes.reserveCapacity(min(limit, max(0, Int(about.st_size))) + 1) }
        while true {
            // Reads no more than is reserved, so that the array is not larger than the file. Below /proc all sizes are
            // 0.
            let room = bytes.capacity > bytes.count ? bytes.capacity - bytes.count : SystemLimits.readBytesUnknown
            do throws(SystemError) {
                // One byte more than allowed reveals a file that is too long.
                _ = try file.read(into: &bytes, limit: min(room, limit + 1 - bytes.count), path)
            } catch {
                guard error.code == ENODATA else { throw error }
                return bytes
            }
            guard bytes.count <= limit else { throw SystemError(code: EFBIG, operation: "read", path: path) }
        }
    }

    /// Returns the last bytes of a file, at most `limit`.
    public static func readEnd(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor(opening: path, O_RDONLY)
        let size = try Self.size(path)
        guard lseek(file.number, max(0, size - limit), SEEK_SET) >= 0 else { throw .last("seek", path) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            do throws(SystemError) {
                _ = try file.read(into: &bytes, limit: limit - bytes.count, path)
            } catch {
                guard error.code == ENODATA else { throw error }
                break
            }
        }
        return bytes
    }

    /// Replaces a file atomically: written to a temporary file, synced, renamed, and the directory synced.
    ///
    /// `mode` is set regardless of the umask. On an error the old file is unchanged.
    public static func writeAtomically(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o644) throws(SystemError) {
        let beside = "\(path).\(getpid()).\(Clock.monotonicMicroseconds()).new"
        do throws(SystemError) {
            let file = try Descriptor(opening: beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try file.write(all: bytes, within: Int(Int32.max), beside)
            guard fchmod(file.number, mode) == 0 else { throw SystemError.last("chmod", beside) }
            try file.synchronize(beside)
            guard unsafe rename(beside, path) == 0 else { throw SystemError.last("rename", path) }
        } catch {
            unsafe unlink(beside)
            throw error
        }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY).synchronize(folder)
    }

    /// Returns whether the path exists; true for a dangling link, too.
    public static func exists(_ path: String) -> Bool {
        var about = stat()
        return unsafe lstat(path, &about) == 0
    }

    /// Returns the size of a file in bytes.
    public static func size(_ path: String) throws(SystemError) -> Int {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return Int(about.st_size)
    }

    /// Truncates a file to which other processes may still append.
    public static func empty(_ path: String) throws(SystemError) {
        guard unsafe truncate(path, 0) == 0 else { throw .last("truncate", path) }
    }

    /// Extends an existing file to `bytes` with zeros whose disk space is allocated.
    ///
    /// A later write there changes no metadata, so a sync has only the bytes to write.
    public static func reserve(_ path: String, bytes: Int) throws(SystemError) {
        let size = try size(path)
        guard size < bytes else { return }
        let file = try Descriptor(opening: path, O_WRONLY)
        let code = posix_fallocate(file.number, off_t(size), off_t(bytes - size))
        guard code == 0 else { throw SystemError(code: code, operation: "fallocate", path: path) }
    }

    /// Returns the permissions of a file: the nine lowest bits of its mode (chmod(1)).
    public static func mode(_ path: String) throws(SystemError) -> UInt32 {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return about.st_mode & 0o777
    }

    /// Returns when a file was last written, in microseconds since 1970; nil if there is no such file.
    public static func written(_ path: String) throws(SystemError) -> Int64? {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else {
            if errno == ENOENT { return nil }
            throw .last("stat", path)
        }
        return Int64(about.st_mtim.tv_sec) * 1_000_000 + Int64(about.st_mtim.tv_nsec) / 1_000
    }

    /// What is at a path.
    public enum Kind: Sendable {
        case file, directory
        /// A link, a device, and so on.
        case other
    }

    /// Returns what is at a path, without following a link; nil if there is nothing.
    public static func kind(_ path: String) throws(SystemError) -> Kind? {
        var about = stat()
        guard unsafe lstat(path, &about) == 0 else {
            if errno == ENOENT { return nil }
            throw .last("lstat", path)
        }
        return switch about.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        default: .other
        }
    }

    /// Removes a file; does nothing if there is none.
    public static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("unlink", path) }
    }
}
