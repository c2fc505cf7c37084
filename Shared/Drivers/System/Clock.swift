internal import Glibc

/// Reads the kernel's clocks.
public enum Clock {
    /// Microseconds since 1970-01-01T00:00:00Z; it can be set and so can jump.
    public static func realMicroseconds() -> Int64 {
        read(CLOCK_REALTIME)
    }

    /// Microseconds since some moment before the process started, awake; never goes back.
    public static func monotonicMicroseconds() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    /// Microseconds since the machine was started, those included that it slept; never goes back.
    public static func bootMicroseconds() -> Int64 {
        read(CLOCK_BOOTTIME)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
