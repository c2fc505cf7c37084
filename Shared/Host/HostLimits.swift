/// The bounds of the host's queues and waits.
enum HostLimits {
    /// Requests, finished jobs and orders waiting for the loop; beyond it the door answers 503.
    static let mailbox = 4096
    /// Mismatches of an index that are listed; beyond it they are counted.
    static let flaws = 1_000
    /// Asks taken from the desk in one round, which is one disk sync.
    static let asksPerRound = 1024
    /// Own events that may be folded and not yet flushed; they are folded again after a crash.
    static let eventsUnflushed = 8192
    /// Events of a followed journal, none of them news, after which it is written down how far it was read; a start
    /// reads what came since again.
    static let eventsUnmarked = 8192
    /// Queries that wait for the thread that reads the tables; beyond it they are answered 503.
    static let queriesWaiting = 1024
    /// Answers that are kept because they are the same for every caller, and their bytes.
    static let sharedAnswers = 512
    static let sharedAnswerBytes = 16 << 20
    /// Web requests whose answer is still open.
    static let openRequests = 4096
    /// Feeds that a service is asked about.
    static let feeds = 1024
    /// Bytes of a small file in the home.
    static let smallFileBytes = 65_536
    /// Events and bytes of a page that is read ahead while the one before is folded.
    static let eventsAhead = 1024
    static let bytesAhead = 1 << 20
    /// Streams of a followed journal that may be parked; before the next one nothing more of that journal is taken in.
    static let parkedStreams = 1000
    /// References that are not resolved yet and remembered, and how long each counts as not here yet: a head
    /// notification takes milliseconds; while the subscription lags it takes longer anyway.
    static let unresolvedReferences = 1000
    static let unresolvedSeconds = 3.0
    /// Followed journals whose held streams are looked at together.
    static let feedsHeld = 16
    /// Events that one intake entry may name as not applied, and how much of the reason it tells: it has to fit into an
    /// event.
    static let parkedPerIntake = 50
    static let reasonScalars = 150
    /// Events that waited behind another and are applied in one commit once it is out of the way.
    static let releasedPerRound = 64
    /// Bytes of a stream's name by which it is looked up; a longer one goes by its hash.
    static let streamBytes = 400
    /// Parked events of one page of their list.
    static let parkedItems = 500
    static let tickMilliseconds = 100
    /// Files and sockets of one service: two HTTP listeners with 3,064 connections each, readers, segments.
    static let descriptors: UInt = 8192
    /// Seconds without a round of the loop after which a service counts as down.
    static let loopSeconds: Int64 = 10
    /// Running seconds without progress of the loop after which the watchdog ends the process; `FURROW_HANG_SECONDS`.
    static let hangSeconds = 30
    /// The same while the disk or the database is waited for: a slow one is no hang.
    static let syncSeconds: Int64 = 120
    /// The same while journal and tables are opened, or read as a whole; nothing in between is reported.
    static let openingSeconds: Int64 = 600
    /// How often the watchdog looks, and the time between two looks that still counts as running.
    static let watchMilliseconds = 1000
    static let watchGapSeconds: Int64 = 3
    /// How long the watchdog waits for its last log line to be written.
    static let lastWordsMilliseconds = 2000
    /// Heaps that the threads of a service share.
    static let heaps: Int32 = 2
    /// How often freed memory is given back while nothing is written: the farm server may be a small board.
    static let releaseMicroseconds: Int64 = 20_000_000
    static let keepAliveSeconds = 15.0
}
