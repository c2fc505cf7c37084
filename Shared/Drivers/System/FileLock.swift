internal import CSystem
internal import Glibc

/// An exclusive lock file, which makes a directory's owner unique; released with this object or its process.
///
/// The file is created if missing and never removed: after an unlink, two processes could each lock a file of that
/// name.
public final class FileLock: Sendable {
    /// The path of the lock file.
    public let path: String
    private let file: Descriptor

    /// Takes the lock; returns nil if another process, or another `FileLock`, holds it.
    public init?(path: String) throws(SystemError) {
        let file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let result = csystem_lock(file.number)
        if result == -EWOULDBLOCK { return nil }
        _ = try SystemError.checked(result, "flock", path)
        guard try Self.isSameFile(file, path) else {
            throw SystemError(code: ESTALE, operation: "flock", path: path)
        }
        self.path = path
        self.file = file
    }

    deinit {
        // Closing alone would leave the lock with a forked child until it executes its program.
        flock(file.number, LOCK_UN)
    }

    /// Returns whether the path still names the locked file, which may have been replaced between open and lock.
    private static func isSameFile(_ file: borrowing Descriptor, _ path: String) throws(SystemError) -> Bool {
        var (held, named) = (stat(), stat())
        guard unsafe fstat(file.number, &held) == 0, unsafe stat(path, &named) == 0 else { throw .last("stat", path) }
        return held.st_dev == named.st_dev && held.st_ino == named.st_ino
    }
}
