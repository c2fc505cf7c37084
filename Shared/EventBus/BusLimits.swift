import EventSourcing

/// The bounds of everything that peers can make a process hold, and the pace of the bus.
public enum BusLimits {
    /// The JSON header of a message.
    public static let headerBytes = 4096
    /// The body of an ask or an answer.
    public static let bodyBytes = 1 << 20
    /// What an ask is called: `harvest`.
    public static let verbBytes = 100
    /// The caller's idempotency key.
    public static let keyBytes = 255
    /// Tags of answers that an asker has already.
    public static let knownTags = 8
    /// The name of a feed: an origin, or `hub`.
    public static let feedBytes = 255
    /// The random bytes that travel with an ask.
    public static let entropyBytes = 16
    /// Asks of one asker that wait for their answer.
    public static let asksOutstanding = 4096
    /// The longest deadline of an ask, in seconds.
    public static let askSeconds = 600.0
    /// Desks that dial one asker.
    public static let callees = 256
    /// Pages of one feed that were asked for or delivered, and not taken yet.
    public static let pagesOutstanding = 4
    /// Feeds of one follower, and of one server.
    public static let feeds = 256
    /// Feeds followed by others, all followers of a server together.
    public static let watchers = 1024

    static let hashBytes = 32
    static let pagePayloadBytes = EventLimits.pageBytes + EventLimits.pageEvents * PackedEntries.overheadBytes
    /// Packing harder would take longer than sending what it saves.
    static let packingLevel = 1
    static let frameBytes = max(bodyBytes, pagePayloadBytes)
    /// Messages taken from a socket before other work has its turn.
    static let messagesPerTurn = 256
    /// Pages served before messages have their turn.
    static let pagesPerTurn = 16
    /// Pages that are read before they are asked for, all readers together.
    static let pagesAhead = 8
    /// Messages of a feed that wait for one peer: rings and at most a page for each feed.
    static let feedQueue = 16
    /// Asks or answers that wait for one peer.
    static let askQueue = 1024
    /// Milliseconds for which answers that are under way hold up the end of a desk: a large one takes many turns of a
    /// busy processor, and whoever stops a service ends it after three seconds.
    static let deskLinger = 2_000
}

/// How long the bus waits, in microseconds of the monotonic clock.
enum BusTiming {
    /// An ask is repeated.
    static let repetition: Int64 = 1_000_000
    /// A message that could not be sent, because nobody is connected yet, is tried again.
    static let connecting: Int64 = 20_000
    /// A reader's address where nobody is yet is tried again.
    static let greeting: Int64 = 100_000
    /// A desk tells an asker that it dials who it is.
    static let calling: Int64 = 200_000
    /// A page that does not come is asked for again; the pause doubles.
    static let pageRetry: Int64 = 1_000_000
    static let pageRetryMax: Int64 = 4_000_000
    /// A server that has not rung for so long is asked whether it still knows us.
    static let silence: Int64 = 3_000_000
    /// A server rings at least so often.
    static let heartbeat: Int64 = 1_000_000
    /// As many events as a full page has are served in this time while something is being written: about as many as a
    /// desk can write meanwhile.
    static let fullPage: Int64 = 8_000
    /// As many events as take a reader a few tenths of a millisecond.
    static let pageEventsBesideWriter = 128
    /// For so long after a ring something is being written.
    static let writing: Int64 = 20_000
    /// A journal that could not be read is opened again.
    static let reopening: Int64 = 1_000_000
    /// How long it is told that a page could not be read: whoever asked for it asks again meanwhile.
    static let forgetting: Int64 = 10_000_000
}
