/// Measures how long a thread has made no progress, in running time of the thread that watches it.
///
/// `CLOCK_MONOTONIC` continues while a process is stopped (SIGSTOP, a frozen container, a debugger). So the time
/// between two ticks counts only if they follow each other closely. After a longer gap the watcher did not run either,
/// and the watched thread may not have been able to.
public struct HangRule: Sendable {
    private let gap: Int64
    private var last: Int64?
    private var progress: UInt64?
    private var stalled: Int64 = 0

    /// - Parameter gapSeconds: time between two ticks that still counts; more than the watcher's own interval.
    public init(gapSeconds: Int64) {
        gap = gapSeconds * 1_000_000
    }

    /// Records one check of the watcher.
    ///
    /// - Parameters:
    ///   - monotonic: microseconds of the monotonic clock.
    ///   - progress: a number that changes with each progress of what is watched.
    /// - Returns: microseconds of running time since the last progress.
    public mutating func tick(at monotonic: Int64, progress: UInt64) -> Int64 {
        let passed = last.map { monotonic - $0 } ?? 0
        last = monotonic
        guard progress == self.progress else {
            self.progress = progress
            stalled = 0
            return 0
        }
        if passed <= gap { stalled += passed }
        return stalled
    }
}

/// Counts how often one service hung, so that a service that hangs repeatedly is not restarted forever.
public struct HangCount: Sendable {
    /// The number of hangs within the window after which the service stays down.
    public static let atMost = 5
    /// The length of the window in seconds.
    public static let windowSeconds: Int64 = 600

    private var ends: [Int64] = []

    /// Creates a count without hangs.
    public init() {}

    /// Records a hang at a time of the monotonic clock in microseconds. Returns whether the service now stays down.
    public mutating func note(at monotonic: Int64) -> Bool {
        ends.removeAll { monotonic - $0 >= Self.windowSeconds * 1_000_000 }
        ends.append(monotonic)
        return ends.count >= Self.atMost
    }
}
