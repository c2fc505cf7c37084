internal import Glibc

extension Directory {
    /// Removes a folder with everything in it; links are removed and not followed, and what is not there is fine.
    public static func remove(_ path: String) throws(SystemError) {
        guard File.exists(path) else { return }
        guard isDirectory(path), !File.isLink(path) else { return try File.remove(path) }
        for name in try list(path) { try remove("\(path)/\(name)") }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .last("rmdir", path) }
    }

    /// Returns once the names in a folder are on the disk.
    public static func synchronize(_ path: String) throws(SystemError) {
        try Descriptor(opening: path, O_RDONLY | O_DIRECTORY).synchronize(path)
    }

    /// Bytes that the files below a folder take on the disk; files that go meanwhile are not counted.
    public static func usedBytes(_ path: String) -> UInt64 {
        var about = stat()
        guard unsafe lstat(path, &about) == 0 else { return 0 }
        var bytes = UInt64(about.st_blocks) &* 512
        guard about.st_mode & S_IFMT == S_IFDIR else { return bytes }
        let names = Result { () throws(SystemError) in try list(path) }
        guard case .success(let names) = names else { return bytes }
        for name in names { bytes &+= usedBytes("\(path)/\(name)") }
        return bytes
    }
}

extension File {
    /// Gives a file or folder another name on the same disk; both folders' names are synced.
    ///
    /// A file of the new name is replaced, a folder only where it is empty.
    public static func move(_ path: String, to other: String) throws(SystemError) {
        guard unsafe Glibc.rename(path, other) == 0 else { throw .last("rename", other) }
        for folder in Set([path, other].map(folder(of:))) { try Directory.synchronize(folder) }
    }

    /// Whether a path names a symbolic link itself.
    public static func isLink(_ path: String) -> Bool {
        var about = stat()
        return unsafe lstat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFLNK
    }

    /// The permission bits of a file or folder and its owner.
    public static func access(_ path: String) throws(SystemError) -> (mode: UInt32, owner: UInt32) {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return (about.st_mode & 0o7777, about.st_uid)
    }

    /// When a file was last written, in microseconds since 1970.
    public static func modified(_ path: String) throws(SystemError) -> Int64 {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return Int64(about.st_mtim.tv_sec) * 1_000_000 + Int64(about.st_mtim.tv_nsec) / 1000
    }

    /// The number of the disk that a file lies on.
    public static func device(_ path: String) throws(SystemError) -> UInt64 {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return UInt64(about.st_dev)
    }

    /// Makes a file or folder a user's own.
    public static func give(_ path: String, to user: User) throws(SystemError) {
        try give(path, toUser: user.id, group: user.group)
    }

    /// The same by numbers, where the user has no name on this machine.
    public static func give(_ path: String, toUser user: UInt32, group: UInt32) throws(SystemError) {
        guard unsafe lchown(path, user, group) == 0 else { throw .last("chown", path) }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
