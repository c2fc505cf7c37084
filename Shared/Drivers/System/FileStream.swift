internal import Glibc

/// Reads a file sequentially in pieces; for files that are too large for memory.
public final class FileReader {
    /// The path of the file.
    public let path: String
    private let file: Descriptor

    /// Opens a file.
    ///
    /// - Parameter offset: the first byte to read; beyond the end there is nothing to read.
    public init(path: String, from offset: Int = 0) throws(SystemError) {
        self.path = path
        file = try Descriptor(opening: path, O_RDONLY)
        guard offset == 0 || lseek(file.number, off_t(offset), SEEK_SET) >= 0 else { throw .last("seek", path) }
    }

    /// Returns the next `count` bytes; fewer only at the end of the file, then none.
    public func read(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 1)
        while bytes.count < count {
            do throws(SystemError) {
                _ = try file.read(into: &bytes, limit: count - bytes.count, path)
            } catch {
                guard error.code == ENODATA else { throw error }
                break
            }
        }
        return bytes
    }
}

/// Writes a new file in pieces; never replaces an existing one.
public final class FileWriter {
    /// The path of the file.
    public let path: String
    /// Bytes written so far.
    public private(set) var count = 0
    private let file: Descriptor

    /// Creates the file, readable to its owner only unless `mode` differs; throws `EEXIST` if the path exists.
    public init(path: String, mode: UInt32 = 0o600) throws(SystemError) {
        self.path = path
        file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    }

    /// Appends bytes to the file.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(all: bytes, within: Int(Int32.max), path)
        count += bytes.count
    }

    /// Syncs the file; returns when everything written is on the disk.
    public func synchronize() throws(SystemError) {
        try file.synchronize(path)
    }
}
