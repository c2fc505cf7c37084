internal import CSystem
internal import Glibc

/// A non-blocking input stream: a Unix socket, a pipe, a serial line, or a file to which another process appends.
///
/// Used by one thread.
public final class ByteStream: Sendable {
    /// The path that was opened.
    public let path: String
    /// Whether it is a file: its end is not final, because more may be appended.
    public let isFile: Bool
    private let line: Descriptor

    /// Connects to a Unix socket or opens the path; a terminal becomes a serial line of 115,200 baud.
    ///
    /// A pipe can be opened before a process writes to it.
    public init(path: String) throws(SystemError) {
        var isFile = false
        let opened = unsafe csystem_open_stream(path, &isFile)
        line = Descriptor(owning: try SystemError.checked(opened, "open", path))
        self.path = path
        self.isFile = isFile
    }

    /// The descriptor to poll for input. A file is always readable, so polling one is pointless.
    public var descriptor: Int32 { line.number }

    /// Returns the available bytes, at most `limit`; empty if there are none.
    ///
    /// Throws `ENODATA` at the end, which is final for a stream; a file may grow.
    public func read(limit: Int = 16_384) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try line.read(into: &bytes, limit: limit, path)
        return bytes
    }

    /// Writes all bytes, in as many steps as needed; throws `ETIMEDOUT` if the other side accepts no more.
    ///
    /// For sockets and serial lines; a pipe and a file are open for reading, and throw `EBADF`.
    public func write(_ bytes: [UInt8], milliseconds: Int = 1_000) throws(SystemError) {
        try line.write(all: bytes, within: milliseconds, path)
    }

    /// Returns a file's bytes at an offset, fewer at its end; the position of `read` does not change.
    public func bytes(at place: Int, count: Int) throws(SystemError) -> [UInt8] {
        let wanted = min(max(count, 0), SystemLimits.readBytesMax)
        var bytes = [UInt8](repeating: 0, count: wanted)
        let length = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe pread(line.number, room.baseAddress, wanted, place)
        }
        guard length >= 0 else { throw .last("read", path) }
        bytes.removeLast(wanted - length)
        return bytes
    }

    /// Returns the current size of a file in bytes.
    public func size() throws(SystemError) -> Int {
        Int(try about().st_size)
    }

    /// Returns the position of the next `read` in a file.
    public func position() throws(SystemError) -> Int {
        try place(of: 0, SEEK_CUR)
    }

    /// Sets the position of the next `read` in a file.
    public func seek(to position: Int) throws(SystemError) {
        _ = try place(of: position, SEEK_SET)
    }

    /// Returns whether the path still names this file and it was not truncated below the position; if not, reopen it.
    public func isSame() throws(SystemError) -> Bool {
        let held = try about()
        var named = stat()
        guard unsafe stat(path, &named) == 0 else { return false }
        let position = try position()
        return held.st_dev == named.st_dev && held.st_ino == named.st_ino && held.st_size >= position
    }

    private func place(of offset: Int, _ whence: Int32) throws(SystemError) -> Int {
        let place = lseek(line.number, offset, whence)
        guard place >= 0 else { throw .last("seek", path) }
        return place
    }

    private func about() throws(SystemError) -> stat {
        var about = stat()
        guard unsafe fstat(line.number, &about) == 0 else { throw .last("stat", path) }
        return about
    }
}
