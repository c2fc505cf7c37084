/// The limits of what a node stores, fetches and lets wait.
enum NodeLimits {
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
    /// Stored responses that are revalidated when a farm is reached again, the most popular ones first.
    static let renewals = 64

    /// Bytes of one stored response; a larger one is passed on and not stored.
    static let storedBytes = 16 << 20
    /// Bytes of a stored response's header fields.
    static let headerBytes = 16 << 10
    /// Bytes of all stored responses on the disk, unless `--disk` sets another limit.
    static let diskBytes = 2 << 30

    /// Requests that wait for a network, and those that are remembered after they were fetched.
    static let deferred = 10_000
    /// Seconds after which a deferred request is given up: 30 days.
    static let deferredSeconds = 2_592_000.0

    /// Messages that only a farm can read, which wait for a network; bytes of these and of the responses to them.
    static let sealed = 10_000
    static let sealedBytes = 64 << 20
    /// Such messages that are sent at a time.
    static let sealedFetchers = 4

    /// Requests to other nodes at a time, and searches for a response.
    static let peerFetchers = 4
    static let searches = 256

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
