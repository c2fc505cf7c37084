internal import CSystem
internal import Glibc

/// Bytes as they come: from a socket of this machine, a pipe, a serial line, or a file that somebody writes on.
///
/// Never blocks its reader. One thread reads it.
public final class ByteStream: Sendable {
    public let path: String
    /// Whether it is a file: then it has an end now, and more may be written behind it.
    public let isFile: Bool
    private let line: Descriptor

    /// Connects to a Unix socket, or opens what else the path names; a terminal becomes a serial line of 115,200 baud.
    ///
    /// A pipe can be opened while nobody writes to it.
    public init(path: String) throws(SystemError) {
        var isFile = false
        let opened = unsafe csystem_open_stream(path, &isFile)
        line = Descriptor(owning: try SystemError.checked(opened, "open", path))
        self.path = path
        self.isFile = isFile
    }

    /// To poll for input. A file can always be read, so nobody should wait on one.
    public var descriptor: Int32 { line.number }

    /// What has come, at most `limit` bytes; empty where nothing has.
    ///
    /// The end throws `ENODATA`: of a stream for good, of a file until more is written.
    public func read(limit: Int = 16_384) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try line.read(into: &bytes, limit: limit, path)
        return bytes
    }

    /// Bytes of a file at a place, fewer at its end; where reading goes on does not change.
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

    /// Bytes a file holds by now.
    public func size() throws(SystemError) -> Int {
        Int(try about().st_size)
    }

    /// Where reading a file goes on.
    public func position() throws(SystemError) -> Int {
        try place(of: 0, SEEK_CUR)
    }

    /// Goes on reading a file there.
    public func seek(to position: Int) throws(SystemError) {
        _ = try place(of: position, SEEK_SET)
    }

    /// Whether the path still names this file, and all that was read is still there; if not it has to be opened anew.
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
