/// The pauses between attempts to connect to the same device: twice as long after each failure, up to a limit.
struct ConnectionAttempts: Sendable {
    private struct Entry {
        var failures = 0
        var notBefore: Int64 = 0
    }

    private var entries: [UInt64: Entry] = [:]
    /// The addresses of `entries`, the oldest first.
    private var order: [UInt64] = []

    /// Returns whether the pause of a device is over.
    func isAllowed(_ address: UInt64, at now: Int64) -> Bool { (entries[address]?.notBefore ?? 0) <= now }

    /// Notes that a connection failed, or ended.
    mutating func noteEnd(_ address: UInt64, at now: Int64) {
        if entries[address] == nil {
            if order.count >= CentralLimits.attempts { entries[order.removeFirst()] = nil }
            order.append(address)
        }
        var entry = entries[address] ?? Entry()
        // The shift cannot overflow: seven doublings are more than the longest pause.
        let pause = min(
            CentralLimits.pauseMicroseconds << Int64(min(entry.failures, 7)), CentralLimits.longestPauseMicroseconds)
        entry.notBefore = now + pause
        entry.failures += 1
        entries[address] = entry
    }

    /// Notes that a device was set up, so that it may return at once when its connection ends.
    mutating func noteSuccess(_ address: UInt64) { entries[address]?.failures = 0 }
}
