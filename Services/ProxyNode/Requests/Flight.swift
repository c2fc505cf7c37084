import HTTP
import Sharing

/// A response that is being fetched, and who waits for it: any number of requesters share one request to the farm.
struct Flight {
    struct Waiter {
        let exchange: HTTPExchange
        /// The monotonic time until which it waits, in microseconds.
        let deadline: Int64
        /// What it gets if the farm does not respond; nil if nothing usable is stored.
        let stored: StoredResponse?
    }

    var waiters: [Waiter] = []
    /// Whether a deferred request waits for it.
    var isDeferred = false
    /// The response that the farm is to confirm.
    let stored: StoredResponse?

    /// Removes and returns the waiters whose deadline has passed.
    mutating func takeLate(at now: Int64) -> [Waiter] {
        guard waiters.contains(where: { $0.deadline <= now }) else { return [] }
        let late = waiters.filter { $0.deadline <= now }
        waiters.removeAll { $0.deadline <= now }
        return late
    }
}
