/// The limits of what a node stores, fetches and lets wait.
enum NodeLimits {
    /// Farms that one node serves.
    static let farms = 8
    /// Bytes of a request's path and query.
    static let targetBytes = 2_048
    /// Files and patterns of a farm's pages, and files that these need.
    static let patterns = 64
    static let pageFiles = 512
    /// Microseconds between two requests for a farm's list of pages.
    static let pagesMicroseconds: Int64 = 60_000_000
    /// Bytes of a request's body, which is refused in any case.
    static let bodyBytes = 64 << 10
    /// Requests that wait for the event loop; further ones are answered 503.
    static let requests = 4_096
    /// Requests that wait for one response of a farm; further ones are answered 503.
    static let waiters = 4_096
    /// Different responses of one farm that are being fetched or wait for it.
    static let flights = 1_024
    /// Requests to one farm at a time.
    static let fetchers = 4
    /// Deferred requests of one farm that are fetched at a time; the other fetchers serve people who wait.
    static let deferredAtOnce = 2
    /// Seconds after which a request to a farm has failed.
    static let fetchSeconds = 30.0
    /// Microseconds that a requester waits for the farm if an older response is stored, and if none is.
    static let staleWaitMicroseconds: Int64 = 1_000_000
    static let missWaitMicroseconds: Int64 = 10_000_000
    /// The pause between two attempts to reach a farm: the first, and the longest.
    static let pauseMicroseconds: Int64 = 1_000_000
    static let longestPauseMicroseconds: Int64 = 15_000_000
    /// Stored responses that are revalidated when a farm is reached again, the most popular ones first.
    static let renewals = 64

    /// Bytes of one stored response; a larger one is passed on and not stored.
    static let storedBytes = 16 << 20
    /// Bytes of a stored response's header fields.
    static let headerBytes = 16 << 10
    /// Bytes of all stored responses on the disk, unless `--disk` sets another limit.
    static let diskBytes = 2 << 30
    /// Bytes of the disk that responses leave free, at most a tenth of it.
    static let reserveBytes: UInt64 = 64 << 20
    /// Bytes and number of the responses that are also in memory.
    static let memoryBytes = 8 << 20
    static let memoryEntries = 1_024
    /// Half of a request's weight in a rank is gone after this many seconds: three days.
    static let halfLifeSeconds = 259_200.0
    /// Seconds for which a response may be used without its farm if it names no time itself: seven days.
    static let staleSeconds = 604_800
    /// Bytes of SQLite's log after which it is moved into the database.
    static let logBytes = 8 << 20

    /// Requests that wait for a network, and those that are remembered after they were fetched.
    static let deferred = 10_000
    /// Seconds after which a deferred request is given up: 30 days.
    static let deferredSeconds = 2_592_000.0
    /// Entries of an index, and of a list of deferred requests.
    static let listed = 100

    /// Other nodes that are known, and those that `--peer` may name.
    static let peers = 64
    static let namedPeers = 16
    /// Other nodes that one response is requested from, one after the other.
    static let peersPerSearch = 3
    /// Requests to other nodes at a time, and searches for a response.
    static let peerFetchers = 4
    static let searches = 256
    /// Bytes of another node's index.
    static let indexBytes = 262_144
    /// Seconds after which another node has not answered.
    static let peerSeconds = 2.0
    /// Microseconds between two requests for another node's index, and without an answer after which it is forgotten.
    static let indexMicroseconds: Int64 = 20_000_000
    static let peerMicroseconds: Int64 = 600_000_000
    /// For how long a node is avoided after a false response: the first time, and the longest.
    static let peerPauseMicroseconds: Int64 = 10_000_000
    static let longestPeerPauseMicroseconds: Int64 = 3_600_000_000
    /// Seconds after which a response is requested as a whole, so that its signature is renewed: a day of its seven.
    static let signatureSeconds: Int64 = 86_400
    /// Entries that a node announces, and bytes of an announcement (RFC 6763, 6.2).
    static let announced = 5
    static let announcementBytes = 200

    /// Live streams of one farm.
    static let streams = 1_000
    /// Microseconds between two comments on a live stream, which keep it open.
    static let keepAliveMicroseconds: Int64 = 20_000_000
    /// Seconds after which the live stream of a farm is opened again, and the pause before it.
    static let liveSeconds = 3_600.0
    static let liveMilliseconds = 5_000
    /// Microseconds between two status files, and between two times that requests are counted on the disk.
    static let statusMicroseconds: Int64 = 5_000_000
    static let statusBytes = 262_144
    /// Bytes of a certificate, a key, and a file of settings.
    static let settingsBytes = 262_144
}
