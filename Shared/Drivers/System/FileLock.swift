internal import CSystem
internal import Glibc

/// Holds a lock file, so that one folder has one owner; the lock is free when this object or its process ends.
///
/// The file is made where it is missing and never removed: a lock on a file that is unlinked and made anew is two
/// locks.
public final class FileLock: Sendable {
    public let path: String
    private let file: Descriptor

    /// Takes the lock, or returns nil where another process, or another `FileLock`, holds it.
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
        // Closing alone leaves the lock with a child that is being forked, until it is its program.
        flock(file.number, LOCK_UN)
    }

    /// Whether the path still names the locked file: somebody may have replaced it between open and lock.
    private static func isSameFile(_ file: borrowing Descriptor, _ path: String) throws(SystemError) -> Bool {
        var (held, named) = (stat(), stat())
        guard unsafe fstat(file.number, &held) == 0, unsafe stat(path, &named) == 0 else { throw .last("stat", path) }
        return held.st_dev == named.st_dev && held.st_ino == named.st_ino
    }
}
