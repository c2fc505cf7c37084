public import System
public import ZeroMQ

/// Why the bus did not do what its own process asked for; what peers do wrong is counted instead (`BusAnomaly`).
public enum BusError: Error, Equatable, Sendable {
    case transport(ZeroMQError)
    /// The kernel gave no thread or descriptor.
    case system(SystemError)
    /// A name, key or body is longer than `BusLimits` allows, or empty where it must not be.
    case outOfBounds(what: String, count: Int, limit: Int)
    /// As many as `BusLimits` allows are outstanding or followed.
    case full(what: String, limit: Int)
    /// A follower either binds or dials.
    case needsOneEndpoint

    /// True when the context was shut down: the owner should let go.
    public var isShutdown: Bool {
        if case .transport(let error) = self { return error.isShutdown }
        return false
    }

    /// Checks a length.
    static func check(_ what: String, _ count: Int, in range: ClosedRange<Int>) throws(BusError) {
        guard range.contains(count) else { throw .outOfBounds(what: what, count: count, limit: range.upperBound) }
    }
}
