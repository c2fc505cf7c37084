internal import Glibc

extension File {
    /// Creates a link at `path` to `target`, replacing an existing file.
    public static func link(_ path: String, to target: String) throws(SystemError) {
        try remove(path)
        guard unsafe symlink(target, path) == 0 else { throw SystemError.last("symlink", path) }
    }
}
