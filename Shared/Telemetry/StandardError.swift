internal import Glibc

/// The functions that need the kernel: the time of a line, and its output.
enum StandardError {
    /// Writes a line in one call, so that lines of several threads are not mixed. Errors, such as a closed pipe, are
    /// ignored.
    @Sendable static func write(_ line: [UInt8]) {
        var written = 0
        while written < line.count {
            let count = unsafe line.withUnsafeBytes { bytes in
                unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    @Sendable static func milliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Returns a time in RFC 3339 format, in UTC with milliseconds.
func timestamp(milliseconds: Int64) -> String {
    let inSecond = ((milliseconds % 1_000) + 1_000) % 1_000
    var seconds = time_t((milliseconds - inSecond) / 1_000)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    func padded(_ number: some BinaryInteger, _ width: Int = 2) -> String {
        String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
    }
    let date = unsafe [padded(parts.tm_year + 1_900, 4), padded(parts.tm_mon + 1), padded(parts.tm_mday)]
    let time = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0) }
    return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(padded(inSecond, 3))Z"
}
