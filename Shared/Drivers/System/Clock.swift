internal import Glibc

/// The kernel's clocks.
public enum Clock {
    /// Returns microseconds since 1970-01-01T00:00:00Z; this clock can be set and so can jump.
    public static func realMicroseconds() -> Int64 {
        read(CLOCK_REALTIME)
    }

    /// Returns microseconds since a fixed moment before the process started, without time asleep; never goes back.
    public static func monotonicMicroseconds() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    /// Returns microseconds since the machine was started, including time asleep; never goes back.
    public static func bootMicroseconds() -> Int64 {
        read(CLOCK_BOOTTIME)
    }

    /// Returns the microseconds of processor time that this thread has used.
    public static func threadMicroseconds() -> Int64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
