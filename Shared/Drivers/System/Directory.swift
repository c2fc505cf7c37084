internal import Glibc

/// Operations on directories.
public enum Directory {
    /// Creates a directory and its missing parents, with `mode` regardless of the umask.
    ///
    /// Existing directories are unchanged; throws `EEXIST` if a part of the path is not a directory.
    public static func create(_ path: String, mode: UInt32 = 0o755) throws(SystemError) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            prefix += (prefix.isEmpty || prefix.hasSuffix("/") ? "" : "/") + part
            if unsafe mkdir(prefix, mode) == 0 {
                guard unsafe chmod(prefix, mode) == 0 else { throw .last("chmod", prefix) }
            } else {
                let reason = errno
                guard isDirectory(prefix) else { throw SystemError(code: reason, operation: "mkdir", path: prefix) }
            }
        }
    }

    /// Restricts access to a directory to its owner (0700).
    public static func close(_ path: String) throws(SystemError) {
        guard unsafe chmod(path, 0o700) == 0 else { throw .last("chmod", path) }
    }

    /// Returns whether the path is a directory, following links.
    public static func isDirectory(_ path: String) -> Bool {
        var about = stat()
        return unsafe stat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the names in a directory, sorted by their bytes, without `.` and `..`; throws `EOVERFLOW` if there are
    /// too many.
    public static func list(_ path: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw .last("opendir", path) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            guard names.count < SystemLimits.entriesMax else {
                throw SystemError(code: EOVERFLOW, operation: "readdir", path: path)
            }
            names.append(name)
            errno = 0
        }
        guard errno == 0 else { throw .last("readdir", path) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
