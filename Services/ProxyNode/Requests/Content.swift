import HTTP
import JSON
import SQLite
import Sharing
import System
import Telemetry
import Vocabulary

/// What a node serves: stored responses, responses that it fetches, and requests that wait for a network.
///
/// It belongs to the event loop's thread.
struct Content {
    private(set) var farms: [FarmSource]
    private let disk: NodeDisk
    private(set) var counters = NodeCounters()
    private let log: Logger
    private let numbers: [String: Int]
    private var flights: [CacheKey: Flight] = [:]
    /// The requests of this round that neither a farm nor the cache serves.
    private var unserved: [UnservedRequest] = []
    /// Those of them to defer: one sync of the disk stores them all.
    private var deferring: [UnservedRequest] = []
    private(set) var keys: FarmKeys

    init(farms: [FarmSource], disk: NodeDisk, keys: FarmKeys, log: Logger) {
        self.farms = farms
        self.disk = disk
        self.keys = keys
        self.log = log
        numbers = Dictionary(uniqueKeysWithValues: farms.enumerated().map { ($1.address, $0) })
    }

    var cache: ResponseCache { disk.cache }
    var deferred: DeferredRequests { disk.deferred }

    /// Whether requests wait for a farm, so that deadlines have to be observed.
    var isWaiting: Bool { flights.values.contains { !$0.waiters.isEmpty } }

    /// Reads which pages the farms have, as far as it is stored, and tries to reach the farms.
    mutating func begin(at time: Moment) throws {
        for number in farms.indices {
            guard let key = farms[number].pagesKey else { continue }
            let stored = try disk.find(key)
            if let stored { readPages(stored.body, of: number) }
            fetch(key, of: number, stored, isUrgent: false)
        }
    }

    /// Takes over a farm's list of pages, and queues the files that these need.
    private mutating func readPages(_ body: [UInt8], of number: Int) {
        do throws(JSONError) {
            try farms[number].readPages(body)
        } catch {
            log.warning("list of pages not read", ["farm.address": farms[number].address, "reason": "\(error)"])
        }
    }

    mutating func refuse(_ exchange: HTTPExchange, _ response: HTTPResponse) {
        counters.refused += 1
        exchange.respond(response)
    }

    // MARK: Requests

    /// Serves a request for something of a farm, now or later.
    mutating func serve(_ exchange: HTTPExchange, _ asked: CacheKey, at time: Moment) throws {
        guard let number = numbers[asked.farm] else { return }
        // Pages that are one file share its entry.
        let file = asked.isPage ? farms[number].pages?.file(for: exchange.request.path) : nil
        let key = file.map { CacheKey(farm: asked.farm, target: $0, isPage: false) } ?? asked
        let stored = try disk.find(key)
        // Another node asks for what is stored, and for nothing else (RFC 9111, 5.2.1.7).
        if exchange.request.headers["Cache-Control"]?.contains("only-if-cached") == true {
            guard let stored else { return exchange.respond(NodeResponses.notStored) }
            return respond(exchange, key, stored, .hit, at: time)
        }
        if stored != nil { cache.count(key) }
        switch stored?.freshness(at: time.real) ?? .unusable {
        case .fresh: respond(exchange, key, stored, .hit, at: time)
        case .usableWhileRevalidating:
            respond(exchange, key, stored, .hit, at: time)
            fetch(key, of: number, stored, isUrgent: false)
        case .usableOnError where !farms[number].link.isPrompt:
            respond(exchange, key, stored, .stale("farm-not-reached"), at: time)
            fetch(key, of: number, stored, isUrgent: false)
        case .usableOnError:
            let deadline = time.monotonic + NodeLimits.staleWaitMicroseconds
            wait(Flight.Waiter(exchange: exchange, deadline: deadline, stored: stored), for: key, of: number, stored)
        case .unusable where !farms[number].link.isReachable: leave(exchange, key)
        case .unusable:
            let deadline = time.monotonic + NodeLimits.missWaitMicroseconds
            wait(Flight.Waiter(exchange: exchange, deadline: deadline, stored: nil), for: key, of: number, stored)
        }
    }

    private mutating func wait(
        _ waiter: Flight.Waiter, for key: CacheKey, of number: Int, _ stored: StoredResponse?
    ) {
        if flights[key] != nil { counters.shared += 1 }
        guard fetch(key, of: number, stored, isUrgent: true),
            flights[key]?.waiters.count ?? 0 < NodeLimits.waiters
        else {
            refuse(waiter.exchange, NodeResponses.problem(503, "busy", "Too many requests wait for the farm."))
            return
        }
        flights[key]?.waiters.append(waiter)
    }

    /// Fetches a response unless that is under way. Returns false if too many are.
    @discardableResult
    private mutating func fetch(
        _ key: CacheKey, of number: Int, _ stored: StoredResponse?, isUrgent: Bool, isDeferred: Bool = false
    ) -> Bool {
        if flights[key] != nil {
            if isUrgent { farms[number].hurry(key) }
        } else {
            guard farms[number].jobs < NodeLimits.flights else { return false }
            flights[key] = Flight(stored: stored)
            farms[number].add(key, tag: stored?.tag(at: Clock.realMicroseconds()), isUrgent: isUrgent)
        }
        if isDeferred { flights[key]?.isDeferred = true }
        return true
    }

    private mutating func respond(
        _ exchange: HTTPExchange, _ key: CacheKey, _ stored: StoredResponse?, _ use: NodeResponses.Use, at time: Moment
    ) {
        guard let stored else { return }
        if use == .hit { counters.hits += 1 } else { counters.stale += 1 }
        exchange.respond(NodeResponses.stored(stored, of: key, for: exchange.request, use, at: time.real))
    }

    // MARK: Responses of farms

    /// Serves those who waited for an outcome, and stores what may be stored.
    mutating func finish(_ outcome: Fetcher<FarmJob>.Outcome, at time: Moment) throws {
        farms[outcome.job.farm].finish(fetcher: outcome.fetcher)
        counters.fetches += 1
        guard let flight = flights.removeValue(forKey: outcome.job.key) else { return }
        switch outcome.result {
        case .success(let response):
            noteReached(outcome.job.farm, at: time)
            counters.fetchedBytes += response.body.count
            try finish(flight, outcome.job.key, farms[outcome.job.farm].received(response), at: time)
        case .failure(let error) where error.kind == .answerTooLarge || error.kind == .requestUnusable:
            for waiter in flight.waiters { refuse(waiter.exchange, NodeResponses.unusable) }
            if flight.isDeferred { try disk.settle(outcome.job.key, as: .refused, status: 502) }
        case .failure(let error):
            counters.failed += 1
            noteNotReached(outcome.job.farm, error.message, at: time)
            release(flight, outcome.job.key, at: time)
            for key in farms[outcome.job.farm].clear() {
                guard let flight = flights.removeValue(forKey: key) else { continue }
                release(flight, key, at: time)
            }
        }
    }

    private mutating func finish(
        _ flight: Flight, _ key: CacheKey, _ response: HTTPResponse, at time: Moment
    ) throws {
        if response.status == 304, let stored = flight.stored {
            counters.confirmed += 1
            let confirmed = stored.confirmed(by: response.headers.passedOn, at: time.real)
            try disk.guarded { () throws(SQLiteError) in try cache.confirm(confirmed, for: key) }
            for waiter in flight.waiters { respond(waiter.exchange, key, confirmed, .hit, at: time) }
            if flight.isDeferred { try disk.settle(key, as: .fetched, status: 200) }
            return
        }
        let isFailure = response.status >= 500 || response.status == 429
        let stored = isFailure ? nil : try store(response, for: key, requests: flight.waiters.count, at: time)
        for waiter in flight.waiters {
            if isFailure, let older = waiter.stored {
                respond(waiter.exchange, key, older, .stale("farm-failed"), at: time)
            } else {
                reply(waiter.exchange, key, response, isStored: stored != nil)
            }
        }
        guard flight.isDeferred, let number = numbers[key.farm] else { return }
        if isFailure {
            farms[number].deferredPause.fail(at: time.monotonic)
        } else {
            farms[number].deferredPause.succeed()
            try disk.settle(key, as: stored == nil ? .refused : .fetched, status: response.status)
        }
    }

    /// Sends a response that was just received.
    private mutating func reply(
        _ exchange: HTTPExchange, _ key: CacheKey, _ response: HTTPResponse, isStored: Bool
    ) {
        if CacheDirectives(response.headers).isPrivate {
            refuse(exchange, NodeResponses.farmOnly(key.farm, for: exchange.request))
        } else if response.headers.size > NodeLimits.headerBytes {
            refuse(exchange, NodeResponses.unusable)
        } else {
            counters.passedOn += 1
            exchange.respond(NodeResponses.passedOn(response, of: key, for: exchange.request, isStored: isStored))
        }
    }

    /// Stores a response if that is allowed, and removes an older one that is not true any more.
    private mutating func store(
        _ response: HTTPResponse, for key: CacheKey, requests: Int, at time: Moment
    ) throws -> StoredResponse? {
        let directives = CacheDirectives(response.headers)
        guard let number = numbers[key.farm] else { return nil }
        let made = StoredResponse(headers: response.headers.passedOn, body: response.body, receivedAt: time.real)
        let isUsable = directives.maxAge + directives.staleWhileRevalidate + directives.staleIfError > 0
        let isSmall = made.body.count <= NodeLimits.storedBytes && made.headers.size <= NodeLimits.headerBytes
        guard response.status == 200, directives.isStorable, isUsable, isSmall,
            farms[number].isRight(key.target, response.body)
        else {
            try disk.guarded { () throws(SQLiteError) in try cache.remove(key) }
            return nil
        }
        if key == farms[number].pagesKey { readPages(made.body, of: number) }
        if key.target == farms[number].publisherKey?.target { takeKey(made.body, of: key.farm) }
        cache.count(key, requests: requests)
        try disk.guarded { () throws(SQLiteError) in try cache.store(made, for: key) }
        return made
    }

    private mutating func takeKey(_ body: [UInt8], of farm: String) {
        do throws(SystemError) {
            if try keys.take(body, of: farm) { log.notice("key of the farm stored", ["farm.address": farm]) }
        } catch {
            log.error("key of the farm not stored", ["farm.address": farm, "reason": "\(error)"])
        }
    }

    /// Serves those who waited for a farm that was not reached: what is stored, or else their requests are deferred.
    private mutating func release(_ flight: Flight, _ key: CacheKey, at time: Moment) {
        for waiter in flight.waiters { release(waiter, key, "farm-not-reached", at: time) }
    }

    private mutating func release(_ waiter: Flight.Waiter, _ key: CacheKey, _ detail: String, at time: Moment) {
        if let stored = waiter.stored {
            respond(waiter.exchange, key, stored, .stale(detail), at: time)
        } else {
            leave(waiter.exchange, key)
        }
    }

    /// Leaves a request to other nodes, if there are any, or to a later time.
    private mutating func leave(_ exchange: HTTPExchange, _ key: CacheKey) {
        unserved.append(UnservedRequest(exchange: exchange, key: key))
    }

    /// Returns the requests that neither a farm nor the cache has served since the last call.
    mutating func takeUnserved() -> [UnservedRequest] {
        defer { unserved = [] }
        return unserved
    }

    /// Defers a request, if it makes sense to send it later.
    mutating func postpone(_ request: UnservedRequest) {
        if request.key.isDeferrable {
            deferring.append(request)
        } else {
            request.exchange.respond(NodeResponses.notReached(request.key.farm))
        }
    }

    /// Returns deferred requests of farms that are not reached, those of most requesters first.
    func missing() throws(SQLiteError) -> [CacheKey] {
        var keys: [CacheKey] = []
        for farm in farms where !farm.link.isReachable && deferred.waiting > 0 {
            keys += try deferred.next(of: farm.address, limit: SharingLimits.listed).map(\.key)
        }
        return keys
    }

    /// Stores a response that another node had, unless a newer one is here, and serves those who wait for it.
    mutating func adopt(_ found: StoredResponse, for key: CacheKey, _ waiters: [HTTPExchange], at time: Moment) throws {
        let stored = try disk.find(key)
        let best = stored.map { $0.receivedAt >= found.receivedAt ? $0 : found } ?? found
        if best.receivedAt == found.receivedAt {
            try disk.guarded { () throws(SQLiteError) in try cache.store(found, for: key) }
        }
        cache.count(key, requests: max(1, waiters.count))
        counters.fromPeers += 1
        for exchange in waiters { respond(exchange, key, best, .stale("from-another-node"), at: time) }
        try disk.settle(key, as: .fetched, status: 200)
    }

    // MARK: Rounds

    /// Ends a round of the event loop: serves those who waited too long, defers, and starts what can be started.
    mutating func endRound(at time: Moment) throws {
        for key in flights.keys {
            let late = flights[key]?.takeLate(at: time.monotonic) ?? []
            if !late.isEmpty, let number = numbers[key.farm] { farms[number].link.isSlow = true }
            for waiter in late { release(waiter, key, "farm-is-slow", at: time) }
        }
        try storeDeferred(at: time)
        for number in farms.indices {
            try startDeferred(number, at: time.monotonic)
            startRenewals(number, at: time)
            farms[number].start(at: time.monotonic)
        }
    }

    private mutating func storeDeferred(at time: Moment) throws {
        guard !deferring.isEmpty else { return }
        let round = deferring
        deferring = []
        counters.deferred += round.count
        var ids = [String?](repeating: nil, count: round.count)
        try disk.unlessFull { () throws(SQLiteError) in
            ids = try deferred.add(round.map(\.key), at: Instant(microseconds: time.real))
        }
        for (request, id) in zip(round, ids) {
            request.exchange.respond(NodeResponses.deferred(id, request.key, for: request.exchange.request))
        }
    }

    /// Queues deferred requests, a few at a time. While the farm is not reached, one of them is the attempt.
    private mutating func startDeferred(_ number: Int, at now: Int64) throws {
        guard deferred.waiting > 0, farms[number].deferredPause.isOver(at: now) else { return }
        let running = flights.count { $0.value.isDeferred && $0.key.farm == farms[number].address }
        let most = farms[number].link.isReachable ? NodeLimits.deferredAtOnce : 1
        guard running < most else { return }
        for entry in try deferred.next(of: farms[number].address, limit: most) {
            fetch(entry.key, of: number, try disk.find(entry.key), isUrgent: false, isDeferred: true)
        }
    }

    /// Queues the renewal of stored responses; without any, the farm's keys are the attempt to reach it.
    private mutating func startRenewals(_ number: Int, at time: Moment) {
        let farm = farms[number]
        if !farm.link.isReachable, farm.jobs == 0, farm.link.mayTry(at: time.monotonic) {
            fetch(farm.attemptKey, of: number, nil, isUrgent: false)
        }
        guard farm.link.isReachable, farm.jobs < NodeLimits.fetchers, let key = farms[number].nextRenewal() else {
            return
        }
        do {
            let stored = try disk.find(key)
            if stored?.freshness(at: time.real) != .fresh { fetch(key, of: number, stored, isUrgent: false) }
        } catch {
            log.warning("stored response not read", ["reason": "\(error)"])
        }
    }

    /// Corrects the times of requests that were deferred before the clock was set.
    func noteClock(setByMicroseconds difference: Int64) throws(SQLiteError) {
        log.notice("clock was set", ["clock.seconds": "\(difference / 1_000_000)"])
        try disk.unlessFull { () throws(SQLiteError) in try deferred.shift(byMicroseconds: difference) }
    }

    /// Writes counts, and gives up what has waited too long.
    mutating func tidy(at time: Moment) throws {
        try disk.guarded { () throws(SQLiteError) in try cache.tidy(at: time.real) }
        let before = Instant(microseconds: time.real).advanced(bySeconds: -NodeLimits.deferredSeconds)
        var expired = 0
        for number in farms.indices where farms[number].isPagesDue(at: time.monotonic) {
            // A new build of the pages is fetched as a whole: files of two builds do not fit together.
            guard let key = farms[number].pagesKey else { continue }
            fetch(key, of: number, try disk.find(key), isUrgent: false)
        }
        try disk.unlessFull { () throws(SQLiteError) in expired = try deferred.expire(before: before) }
        if expired > 0 { log.notice("deferred requests given up", ["request.count": "\(expired)"]) }
    }

    /// Fetches what synchronising clients request first, because the farm has announced a change. The stored
    /// changes since a position are removed: they are small, and false now.
    mutating func noteChange(of number: Int, at time: Moment) throws {
        let address = farms[number].address
        try disk.guarded { () throws(SQLiteError) in try cache.remove(prefix: "/v1/sync?", of: address) }
        let key = CacheKey(farm: address, target: Self.changes, isPage: false)
        fetch(key, of: number, try disk.find(key), isUrgent: true)
    }

    /// Whether the records that ``noteChange(of:at:)`` fetches are still on their way.
    func isFetchingChanges(of number: Int) -> Bool {
        flights[CacheKey(farm: farms[number].address, target: Self.changes, isPage: false)] != nil
    }

    private static let changes = "/v1/sync"

    /// Notes that a farm has responded: what is popular is fetched again if it was not reached before.
    mutating func noteReached(_ number: Int, at time: Moment) {
        guard farms[number].link.succeed(real: time.real) else { return }
        log.notice("farm reached", ["farm.address": farms[number].address])
        do {
            let popular = try cache.index(of: farms[number].address, limit: NodeLimits.renewals).map(\.key)
            farms[number].renew(popular)
        } catch {
            log.warning("stored responses not listed", ["reason": "\(error)"])
        }
    }

    private mutating func noteNotReached(_ number: Int, _ reason: String, at time: Moment) {
        guard farms[number].link.fail(reason, at: time.monotonic, real: time.real) else { return }
        log.warning("farm not reached", ["farm.address": farms[number].address, "reason": reason])
    }
}
