internal import Glibc

/// An owned file descriptor, closed with this value.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    /// Opens a file, close-on-exec.
    init(opening path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) {
        var number: Int32
        repeat {
            number = unsafe open(path, flags | O_CLOEXEC, mode)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw .last("open", path) }
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Appends the available bytes, at most `limit`, and returns how many; 0 if there are none.
    ///
    /// Throws `ENODATA` at the end of a stream, to distinguish it from a pause. For non-blocking descriptors.
    borrowing func read(into bytes: inout [UInt8], limit: Int, _ path: String) throws(SystemError) -> Int {
        let wanted = min(limit, SystemLimits.readBytesMax)
        guard wanted > 0 else { return 0 }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: wanted))
        var count: Int
        repeat {
            count = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe Glibc.read(number, room.baseAddress?.advanced(by: start), wanted)
            }
        } while count < 0 && errno == EINTR
        let reason = errno
        bytes.removeLast(wanted - max(count, 0))
        if count > 0 { return count }
        if count < 0 && (reason == EAGAIN || reason == EWOULDBLOCK) { return 0 }
        throw SystemError(code: count == 0 ? ENODATA : reason, operation: "read", path: path)
    }

    /// Writes all bytes, waiting while the other side accepts none; throws `ETIMEDOUT` after `milliseconds` in all.
    borrowing func write(all bytes: [UInt8], within milliseconds: Int, _ path: String) throws(SystemError) {
        let deadline = Clock.monotonicMicroseconds() + Int64(milliseconds) * 1_000
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { left in
                unsafe Glibc.write(number, left.baseAddress?.advanced(by: written), left.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                let rest = Int(max(0, deadline - Clock.monotonicMicroseconds()) / 1_000)
                guard try Poll.waitWritable(number, milliseconds: rest) else {
                    throw SystemError(code: ETIMEDOUT, operation: "write", path: path)
                }
            } else if errno != EINTR {
                throw .last("write", path)
            }
        }
    }

    borrowing func synchronize(_ path: String) throws(SystemError) {
        guard fsync(number) == 0 else { throw .last("fsync", path) }
    }
}
