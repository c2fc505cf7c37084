/// The bounds of the host's queues and waits.
enum HostLimits {
    /// Requests, finished jobs and other messages that wait for the event loop; beyond it HTTP requests receive 503.
    static let mailbox = 4096
    /// Mismatches of an index that are listed; beyond it they are only counted.
    static let flaws = 1_000
    /// Requests taken in one round, which is one disk sync.
    static let requestsPerRound = 1024
    /// Own events that may be projected and not flushed; after a crash they are projected again.
    static let eventsUnflushed = 8192
    /// Events of a followed journal, none of them projected, after which a checkpoint event is written nevertheless. A
    /// start reads the events after the last one again.
    static let eventsUnmarked = 8192
    /// Queries that wait for the query thread; beyond it they receive 503.
    static let queriesWaiting = 1024
    /// Stored responses that are the same for every caller, and their bytes.
    static let sharedAnswers = 512
    static let sharedAnswerBytes = 16 << 20
    /// HTTP requests without a response yet.
    static let openRequests = 4096
    /// Feeds that a status lists.
    static let feeds = 1024
    /// Bytes of a small file in the home.
    static let smallFileBytes = 65_536
    /// Events and bytes of a page that is read ahead while the one before is projected.
    static let eventsAhead = 1024
    static let bytesAhead = 1 << 20
    /// Streams of a followed journal that may be parked; at the limit nothing more of that journal is consumed.
    static let parkedStreams = 1000
    /// References that are not resolved yet and remembered, and how long each counts as not here yet: a head
    /// notification takes milliseconds; while the subscription lags it takes longer anyway.
    static let unresolvedReferences = 1000
    static let unresolvedSeconds = 3.0
    /// Followed journals whose blocked streams are listed together.
    static let feedsBlocked = 16
    /// Events that one checkpoint event may name as parked, and the characters of each reason, so that the event stays
    /// within its size limit.
    static let parkedPerIntake = 50
    static let reasonScalars = 150
    /// Events that waited for another and are applied in one commit once it is resolved.
    static let releasedPerRound = 64
    /// Bytes of a stream name in a key; a longer name is replaced by its hash.
    static let streamBytes = 400
    /// Parked events in one page of their list.
    static let parkedItems = 500
    static let tickMilliseconds = 100
    /// Files and sockets of one service: two HTTP listeners with 3,064 connections each, readers, segments.
    static let descriptors: UInt = 8192
    /// Seconds without a round of the loop after which a service counts as down.
    static let loopSeconds: Int64 = 10
    /// Seconds of running time without progress after which the watchdog ends the process; overridden by
    /// `FURROW_HANG_SECONDS`.
    static let hangSeconds = 30
    /// The same while the disk or the database is waited for, because a slow one is not a hang.
    static let syncSeconds: Int64 = 120
    /// The same while the journal and tables are opened or read as a whole, because no progress is reported in between.
    static let openingSeconds: Int64 = 600
    /// The interval of the watchdog's checks, and the longest time between two checks that counts as running time.
    static let watchMilliseconds = 1000
    static let watchGapSeconds: Int64 = 3
    /// The longest time that the watchdog waits for its last log line to be written.
    static let lastWordsMilliseconds = 2000
    /// Heaps that the threads of a service share.
    static let heaps: Int32 = 2
    /// The interval at which freed memory is returned to the system while nothing is written; the farm server may have
    /// little.
    static let releaseMicroseconds: Int64 = 20_000_000
    static let keepAliveSeconds = 15.0
}
