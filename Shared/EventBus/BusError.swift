public import System
public import ZeroMQ

/// Why the bus failed to do what its own process requested. Anomalies of peers are counted instead (`BusAnomaly`).
public enum BusError: Error, Equatable, Sendable {
    case transport(ZeroMQError)
    /// The kernel provided no thread or descriptor.
    case system(SystemError)
    /// A name, key or body is longer than `BusLimits` allows, or empty where that is not allowed.
    case outOfBounds(what: String, count: Int, limit: Int)
    /// The limit of `BusLimits` for pending requests or subscriptions is reached.
    case full(what: String, limit: Int)
    /// A subscriber needs exactly one endpoint, to bind or to dial.
    case needsOneEndpoint

    /// Whether the context was shut down, so that the owner should close.
    public var isShutdown: Bool {
        if case .transport(let error) = self { return error.isShutdown }
        return false
    }

    /// Throws `outOfBounds` if a length is outside of a range.
    static func check(_ what: String, _ count: Int, in range: ClosedRange<Int>) throws(BusError) {
        guard range.contains(count) else { throw .outOfBounds(what: what, count: count, limit: range.upperBound) }
    }
}
