internal import Glibc

extension Directory {
    /// Removes a directory with its contents, without following links; does nothing if it does not exist.
    public static func remove(_ path: String) throws(SystemError) {
        guard File.exists(path) else { return }
        guard isDirectory(path), !File.isLink(path) else { return try File.remove(path) }
        for name in try list(path) { try remove("\(path)/\(name)") }
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .last("rmdir", path) }
    }

    /// Syncs a directory; returns when its names are on the disk.
    public static func synchronize(_ path: String) throws(SystemError) {
        try Descriptor(opening: path, O_RDONLY | O_DIRECTORY).synchronize(path)
    }

    /// Returns the disk space of all files below a directory in bytes; files deleted meanwhile are not counted.
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
    /// Renames a file or directory within one disk and syncs both parent directories.
    ///
    /// Replaces a file of the new name, but a directory only if it is empty.
    public static func move(_ path: String, to other: String) throws(SystemError) {
        guard unsafe Glibc.rename(path, other) == 0 else { throw .last("rename", other) }
        for folder in Set([path, other].map(folder(of:))) { try Directory.synchronize(folder) }
    }

    /// Gives a file a second name on the same disk (a hard link). Throws if the disk has none or the name exists.
    public static func link(_ path: String, as other: String) throws(SystemError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw .last("link", other) }
    }

    /// Returns whether the path itself is a symbolic link.
    public static func isLink(_ path: String) -> Bool {
        var about = stat()
        return unsafe lstat(path, &about) == 0 && about.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns the permission bits and the owner of a file or directory.
    public static func access(_ path: String) throws(SystemError) -> (mode: UInt32, owner: UInt32) {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return (about.st_mode & 0o7777, about.st_uid)
    }

    /// Returns when a file was last modified, in microseconds since 1970.
    public static func modified(_ path: String) throws(SystemError) -> Int64 {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return Int64(about.st_mtim.tv_sec) * 1_000_000 + Int64(about.st_mtim.tv_nsec) / 1000
    }

    /// Returns the device number of the file system that contains a file.
    public static func device(_ path: String) throws(SystemError) -> UInt64 {
        var about = stat()
        guard unsafe stat(path, &about) == 0 else { throw .last("stat", path) }
        return UInt64(about.st_dev)
    }

    /// Changes the owner of a file or directory.
    public static func give(_ path: String, to user: User) throws(SystemError) {
        try give(path, toUser: user.id, group: user.group)
    }

    /// Changes the owner by numbers, for a user without a name on this machine.
    public static func give(_ path: String, toUser user: UInt32, group: UInt32) throws(SystemError) {
        guard unsafe lchown(path, user, group) == 0 else { throw .last("chown", path) }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
