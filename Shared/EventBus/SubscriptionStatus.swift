public import EventSourcing

/// How a followed feed stands.
public struct SubscriptionStatus: Sendable, Equatable {
    public let feed: String
    /// The last entry delivered; nil before the first.
    public let delivered: Checkpoint?
    /// The head as the other side last told it; nil before it said anything.
    public let head: Head?
    public let untakenPages: Int
    public let isStopped: Bool
    /// Whether somebody is there to be asked; a dialled server counts as being there.
    public let isConnected: Bool

    /// Events that are in the journal and were not delivered; nil while that is unknown.
    public var behind: UInt64? {
        guard let head else { return nil }
        let position = delivered?.position ?? 0
        return head.position > position ? head.position - position : 0
    }
}
