public import EventSourcing

/// The status of the subscription of a feed.
public struct SubscriptionStatus: Sendable, Equatable {
    /// The name of the feed.
    public let feed: String
    /// The last entry delivered; nil before the first.
    public let delivered: Checkpoint?
    /// The head that the server announced last; nil before the first announcement.
    public let head: Head?
    /// The number of delivered pages that were not acknowledged with `taken`.
    public let untakenPages: Int
    /// Whether the feed stopped and needs `resume`.
    public let isStopped: Bool
    /// Whether a server is connected; a dialled server always counts as connected.
    public let isConnected: Bool

    /// The number of events in the journal that were not delivered; nil while that is unknown.
    public var behind: UInt64? {
        guard let head else { return nil }
        let position = delivered?.position ?? 0
        return head.position > position ? head.position - position : 0
    }
}
