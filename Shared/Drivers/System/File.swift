internal import Glibc

/// Whole files, read with a bound and written so that a crash leaves the old one or the new one.
public enum File {
    /// All bytes of a file; `EFBIG` where there are more than `limit`.
    public static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try Descriptor(opening: path, O_RDONLY)
        var bytes: [UInt8] = []
        var about = stat()
        if unsafe fstat(file.number, &about) == 0 { bytes.reserveCapacity(min(limit, max(0, Int(about.st_size))) + 1) }
        while true {
            // No more than is reserved, so that bytes which are kept take the memory of their file. Below /proc all
            // sizes are 0.
            let room = bytes.capacity > bytes.count ? bytes.capacity - bytes.count : SystemLimits.readBytesUnknown
            do throws(SystemError) {
                // One byte more than allowed tells a file that is too long.
                _ = try file.read(into: &bytes, limit: min(room, limit + 1 - bytes.count), path)
            } catch {
                guard error.code == ENODATA else { throw error }
                return bytes
            }
            guard bytes.count <= limit else { throw SystemError(code: EFBIG, operation: "read", path: path) }
        }
    }

    /// The last bytes of a file, at most `limit`.
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

    /// Replaces a file with these bytes: written beside it, synced, renamed, and the folder synced.
    ///
    /// `mode` is set as given, whatever the umask. On an error the old file is as it was.
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

    /// Whether anything is there, a dangling link included.
    public static func exists(_ path: String) -> Bool {
        var about = stat()
        return unsafe lstat(path, &about) == 0
    }

    /// Bytes of a file.
    public static func size(_ path: String) throws(SystemError) -> Int {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return Int(about.st_size)
    }

    /// Empties a file that others may go on appending to.
    public static func empty(_ path: String) throws(SystemError) {
        guard unsafe truncate(path, 0) == 0 else { throw .last("truncate", path) }
    }

    /// Makes a file that is there at least `bytes` long, its new end zeros that take up their place on the disk.
    ///
    /// Writing there later changes nothing but the bytes, so that a sync has no more than them to keep.
    public static func reserve(_ path: String, bytes: Int) throws(SystemError) {
        let size = try size(path)
        guard size < bytes else { return }
        let file = try Descriptor(opening: path, O_WRONLY)
        let code = posix_fallocate(file.number, off_t(size), off_t(bytes - size))
        guard code == 0 else { throw SystemError(code: code, operation: "fallocate", path: path) }
    }

    /// Who may do what with a file: the nine lowest bits of its mode, as chmod(1) has them.
    public static func mode(_ path: String) throws(SystemError) -> UInt32 {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return about.st_mode & 0o777
    }

    /// Removes a file; one that is not there is removed already.
    public static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("unlink", path) }
    }
}
