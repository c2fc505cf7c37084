import HTTP
import JSON
import Sharing
import System

/// A farm or another web site that a node serves: whether it can be reached, and what is being fetched from it.
struct FarmSource {
    /// The address, without a path.
    let address: String
    /// Whether it is another web site, of which nothing is known but its pages.
    let isSite: Bool
    var link = FarmLink()
    /// Which addresses show which file; nil until the farm's list was read.
    private(set) var pages: FarmPages?
    /// The pause of deferred requests after the farm has failed to respond to one.
    var deferredPause = RetryPause(
        first: SharingLimits.pauseMicroseconds, longest: SharingLimits.longestPauseMicroseconds)
    private let number: Int
    private let fetchers: [Fetcher<FarmJob>]
    private var idle: [Int]
    /// What is fetched because the farm was reached again or has new pages, the next one last.
    private var renewals: [CacheKey] = []
    private var nextPages: Int64 = 0
    /// What waits for a fetcher: requests of people, then renewals.
    private var urgent: [FarmJob] = []
    private var later: [FarmJob] = []

    init(
        address: String, isSite: Bool = false, number: Int, client: HTTPClient,
        outcomes: Mailbox<Fetcher<FarmJob>.Outcome>
    ) throws(SystemError) {
        self.address = address
        self.isSite = isSite
        self.number = number
        fetchers = try (0..<NodeLimits.fetchers).map { fetcher throws(SystemError) in
            try Fetcher(name: "fetch-\(number)-\(fetcher)", number: fetcher, client: client, outcomes: outcomes)
        }
        idle = Array(fetchers.indices)
    }

    /// The number of jobs that are running or waiting.
    var jobs: Int { fetchers.count - idle.count + urgent.count + later.count }

    /// The key of the attempt to reach it.
    var attemptKey: CacheKey { CacheKey(farm: address, target: isSite ? "/" : "/ledger/keys", isPage: isSite) }

    /// Returns the response to store and to send to visitors; that of a web site gets the headers of a sandbox.
    func received(_ response: HTTPResponse) -> HTTPResponse {
        isSite ? SiteResponse.sandboxed(response, of: address) : response
    }

    /// Whether a body is what its address says: a farm names pictures by their digests.
    func isRight(_ target: String, _ body: [UInt8]) -> Bool { isSite || MediaName.isRight(target, body) }

    /// The key of the farm's signing key; nil for a site, which has none.
    var publisherKey: CacheKey? {
        isSite ? nil : CacheKey(farm: address, target: PublisherKey.target, isPage: false)
    }

    /// The key of the farm's list of pages; nil for a site, which has none.
    var pagesKey: CacheKey? { isSite ? nil : CacheKey(farm: address, target: FarmPages.address, isPage: false) }

    /// Returns whether the list of pages is to be requested again, which is so once a minute.
    mutating func isPagesDue(at now: Int64) -> Bool {
        guard link.isReachable, now >= nextPages else { return false }
        nextPages = now + NodeLimits.pagesMicroseconds
        return true
    }

    /// Takes over the list of pages, and queues the files that these need.
    mutating func readPages(_ body: [UInt8]) throws(JSONError) {
        pages = try FarmPages(json: JSONValue.parse(body))
        renew([])
    }

    /// Queues what the pages need, and then popular responses, the most popular one first.
    mutating func renew(_ popular: [CacheKey]) {
        let files = (pages?.files ?? []).map { CacheKey(farm: address, target: $0, isPage: false) }
        renewals = ((publisherKey.map { [$0] } ?? []) + files + popular).reversed()
    }

    mutating func nextRenewal() -> CacheKey? { renewals.popLast() }

    /// Queues a request; it starts when a fetcher is idle and the farm may be tried.
    mutating func add(_ key: CacheKey, tag: String?, isUrgent: Bool) {
        let job = FarmJob(farm: number, key: key, tag: tag)
        if isUrgent { urgent.append(job) } else { later.append(job) }
    }

    /// Moves a waiting job before those without a waiting requester.
    mutating func hurry(_ key: CacheKey) {
        guard let index = later.firstIndex(where: { $0.key == key }) else { return }
        urgent.append(later.remove(at: index))
    }

    /// Starts jobs while fetchers are idle and the farm may be tried.
    mutating func start(at now: Int64) {
        while let fetcher = idle.last, link.mayTry(at: now), let job = takeNext() {
            idle.removeLast()
            link.begin()
            fetchers[fetcher].start(job)
        }
    }

    mutating func finish(fetcher: Int) { idle.append(fetcher) }

    /// Removes the jobs that have not started, and returns their keys.
    mutating func clear() -> [CacheKey] {
        defer { (urgent, later) = ([], []) }
        return (urgent + later).map(\.key)
    }

    private mutating func takeNext() -> FarmJob? {
        if !urgent.isEmpty { return urgent.removeFirst() }
        return later.isEmpty ? nil : later.removeFirst()
    }
}
