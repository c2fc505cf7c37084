public import EventSourcing

/// An update of a subscription.
public enum FeedUpdate: Sendable, Equatable {
    /// The next entries, without a gap and with a verified chain. Call `taken` once they are consumed.
    case page(Page)
    /// Everything up to this head was delivered; repeated only after further entries.
    case reached(feed: String, Head)
    /// The feed stopped and delivers nothing until `resume`.
    case stopped(feed: String, StopReason)
}

/// Why the subscription of a feed cannot continue.
public enum StopReason: Sendable, Equatable {
    /// The journal has another epoch, which does not continue from the checkpoint: it was restored to an earlier
    /// position, or is another journal.
    case unknownEpoch(Head)
    /// The chains of the journal and the subscriber differ at this position.
    case diverged(Position)
    /// The entry at this position is missing.
    case hole(Position)
    /// The journal ends before the checkpoint, in the same epoch.
    case beyondHead(Head)
}
