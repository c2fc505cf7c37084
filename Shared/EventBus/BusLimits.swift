import EventSourcing

/// The limits of what peers can make a process store, and the timing of the bus.
public enum BusLimits {
    /// Bytes of the JSON header of a message.
    public static let headerBytes = 4096
    /// Bytes of the body of a request or a response.
    public static let bodyBytes = 1 << 20
    /// Bytes of the name of a command or query, such as `harvest`.
    public static let verbBytes = 100
    /// Bytes of the caller's idempotency key.
    public static let keyBytes = 255
    /// Entity tags of the responses that a client has cached.
    public static let knownTags = 8
    /// Bytes of the name of a feed: an origin, or `hub`.
    public static let feedBytes = 255
    /// The random bytes of a request.
    public static let entropyBytes = 16
    /// Requests of one client that wait for their responses.
    public static let requestsPending = 4096
    /// The longest deadline of a request, in seconds.
    public static let requestSeconds = 600.0
    /// Servers that dial one client.
    public static let callees = 256
    /// Pages of one feed that were requested or delivered, and not acknowledged with `taken`.
    public static let pagesOutstanding = 4
    /// Feeds of one subscriber, and of one server.
    public static let feeds = 256
    /// Subscriptions of all subscribers of a server together.
    public static let subscriptions = 1024

    static let hashBytes = 32
    static let pagePayloadBytes = EventLimits.pageBytes + EventLimits.pageEvents * PackedEntries.overheadBytes
    /// A higher compression level would take longer than the transfer of the bytes that it saves.
    static let packingLevel = 1
    static let frameBytes = max(bodyBytes, pagePayloadBytes)
    /// Messages taken from a socket before other work is done.
    static let messagesPerTurn = 256
    /// Pages served before messages are read again.
    static let pagesPerTurn = 16
    /// Pages read ahead for all subscribers together.
    static let pagesAhead = 8
    /// Queued messages for one peer of a feed: head notifications, and at most a page of each feed.
    static let feedQueue = 16
    /// Queued requests or responses for one peer.
    static let requestQueue = 1024
    /// The milliseconds for which a server's last responses may delay its end. A large response takes many turns of a
    /// busy processor, and the service manager ends a stopping service after three seconds.
    static let serverLinger = 2_000
}

/// The intervals of the bus, in microseconds of the monotonic clock.
enum BusTiming {
    /// The interval at which a pending command is sent again.
    static let repetition: Int64 = 1_000_000
    /// The interval at which a message is retried while no peer is connected.
    static let connecting: Int64 = 20_000
    /// The interval at which a subscriber's address is retried while no subscriber is there.
    static let greeting: Int64 = 100_000
    /// The interval at which a server that dials a client sends its name.
    static let calling: Int64 = 200_000
    /// The time after which a missing page is requested again; the interval doubles.
    static let pageRetry: Int64 = 1_000_000
    static let pageRetryMax: Int64 = 4_000_000
    /// The time without head notifications after which a subscriber asks the server again, because the server may have
    /// restarted.
    static let silence: Int64 = 3_000_000
    /// The longest interval between two head notifications.
    static let heartbeat: Int64 = 1_000_000
    /// The time in which as many events as a full page has are served while events are being written. A service can
    /// write about as many meanwhile.
    static let fullPage: Int64 = 8_000
    /// As many events as take a subscriber a few tenths of a millisecond.
    static let pageEventsBesideWriter = 128
    /// The time after a head notification for which the journal counts as being written.
    static let writing: Int64 = 20_000
    /// The interval at which a journal that could not be read is reopened.
    static let reopening: Int64 = 1_000_000
    /// How long a failure to read a page is reported. The subscriber requests the page again meanwhile.
    static let forgetting: Int64 = 10_000_000
}
