/// The pause before the next attempt: twice as long after each failure, up to a limit, and half of it random so that
/// many hubs do not return to a farm at the same moment.
struct RetryPause {
    private var failures = 0
    private var end: Int64 = 0

    func isOver(at now: Int64) -> Bool { now >= end }

    mutating func fail(at now: Int64, random: (ClosedRange<Int64>) -> Int64 = { .random(in: $0) }) {
        // The shift cannot overflow: six doublings exceed the longest pause.
        let pause = min(
            QueueLimits.pauseMicroseconds << Int64(min(failures, 6)), QueueLimits.longestPauseMicroseconds)
        end = now + random(pause / 2...pause)
        failures += 1
    }

    mutating func succeed() { self = RetryPause() }
}
