public import EventSourcing

/// What a follower has to say about its feeds.
public enum FeedUpdate: Sendable, Equatable {
    /// The next entries: no gap to those before, and the chain holds. Say `taken` when they are taken in.
    case page(Page)
    /// Everything up to this head was delivered; said again only when there was something new.
    case reached(feed: String, Head)
    /// Nothing more comes of this feed until `resume`.
    case stopped(feed: String, StopReason)
}

/// Why a feed cannot simply be read on.
public enum StopReason: Sendable, Equatable {
    /// The journal began an epoch that does not go on from what was read here: it was restored to an earlier point, or
    /// it is another one.
    case unknownEpoch(Head)
    /// The chain here and there differ at this position.
    case diverged(Position)
    /// The entry at this position is missing.
    case hole(Position)
    /// The journal ends before what was read of this very epoch.
    case beyondHead(Head)
}
