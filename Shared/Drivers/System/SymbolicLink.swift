internal import Glibc

extension File {
    /// Makes `path` point to `target`, instead of whatever it was.
    public static func link(_ path: String, to target: String) throws(SystemError) {
        try remove(path)
        guard unsafe symlink(target, path) == 0 else { throw SystemError.last("symlink", path) }
    }
}
