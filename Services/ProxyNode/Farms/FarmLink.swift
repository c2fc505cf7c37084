import Sharing
import System

/// Whether a farm can be reached. While it cannot, requests do not wait for it: one attempt at a time is made.
struct FarmLink: Hashable, Sendable {
    /// Whether the last attempt succeeded; true before the first.
    private(set) var isReachable = true
    /// Whether requesters have waited too long for a response since the last one.
    var isSlow = false
    /// Why it is not reachable.
    private(set) var reason: String?
    /// The time of the last change, in microseconds since 1970; nil before the first attempt.
    private(set) var since: Int64?
    private var pause = RetryPause(
        first: SharingLimits.pauseMicroseconds, longest: SharingLimits.longestPauseMicroseconds)
    private var isProbing = false

    /// Whether requesters should wait for it when they can have an older response.
    var isPrompt: Bool { isReachable && !isSlow }

    /// Returns whether a request may be sent at a monotonic time.
    func mayTry(at now: Int64) -> Bool { isReachable || (!isProbing && pause.isOver(at: now)) }

    mutating func begin() { isProbing = !isReachable }

    /// Records a response. Returns true if the farm was not reachable before, or if it is the first response.
    mutating func succeed(real: Int64) -> Bool {
        let isChange = !isReachable || since == nil
        if isChange { since = real }
        (isReachable, isSlow, reason, isProbing) = (true, false, nil, false)
        pause.succeed()
        return isChange
    }

    /// Records an attempt without a response. Returns true if the farm was reachable before.
    mutating func fail(_ reason: String, at now: Int64, real: Int64) -> Bool {
        let isChange = isReachable
        if isChange { since = real }
        (isReachable, self.reason, isProbing) = (false, reason, false)
        pause.fail(at: now)
        return isChange
    }
}
