internal import Glibc

/// Reads a file from front to end, piece by piece; for files that are too large to hold.
public final class FileReader {
    public let path: String
    private let file: Descriptor

    /// - Parameter offset: where to begin, in bytes; behind the end there is nothing to read.
    public init(path: String, from offset: Int = 0) throws(SystemError) {
        self.path = path
        file = try Descriptor(opening: path, O_RDONLY)
        guard offset == 0 || lseek(file.number, off_t(offset), SEEK_SET) >= 0 else { throw .last("seek", path) }
    }

    /// The next `count` bytes; fewer only at the end of the file, and none behind it.
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

/// Writes a new file piece by piece; a file of the name is never replaced.
public final class FileWriter {
    public let path: String
    /// Bytes written so far.
    public private(set) var count = 0
    private let file: Descriptor

    /// Makes the file, readable to its owner alone unless `mode` says otherwise; `EEXIST` where something is there.
    public init(path: String, mode: UInt32 = 0o600) throws(SystemError) {
        self.path = path
        file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    }

    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(all: bytes, within: Int(Int32.max), path)
        count += bytes.count
    }

    /// Returns once everything written is on the disk.
    public func synchronize() throws(SystemError) {
        try file.synchronize(path)
    }
}
