internal import Glibc

/// Waits for descriptors, for code without an event loop of its own.
public enum Poll {
    /// Waits until at least one descriptor is readable, ended or broken, and returns those; none after `milliseconds`.
    ///
    /// Negative `milliseconds` wait without limit. Signals do not end the wait.
    public static func wait(_ descriptors: [Int32], milliseconds: Int) throws(SystemError) -> [Int32] {
        var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        try poll(&waiting, milliseconds: milliseconds)
        return waiting.filter { $0.revents != 0 }.map(\.fd)
    }

    /// Returns whether the descriptor is writable within `milliseconds`; also true if broken, so that the write fails.
    static func waitWritable(_ descriptor: Int32, milliseconds: Int) throws(SystemError) -> Bool {
        var waiting = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        try poll(&waiting, milliseconds: milliseconds)
        return waiting.contains { $0.revents != 0 }
    }

    private static func poll(_ waiting: inout [pollfd], milliseconds: Int) throws(SystemError) {
        let deadline = Clock.monotonicMicroseconds() + Int64(max(0, min(milliseconds, Int(Int32.max)))) * 1_000
        while true {
            // Rounded up, so that the last fraction of a millisecond is slept instead of busy-waited.
            let left = milliseconds < 0 ? -1 : max(0, deadline - Clock.monotonicMicroseconds() + 999) / 1_000
            let result = unsafe Glibc.poll(&waiting, nfds_t(waiting.count), Int32(clamping: left))
            if result >= 0 { return }
            guard errno == EINTR else { throw .last("poll") }
        }
    }
}
