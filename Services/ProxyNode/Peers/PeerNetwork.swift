import HTTP
import Sharing
import System
import Telemetry

/// The other nodes in the same network, and the searches there for responses that neither the farm nor this node's
/// cache has. It belongs to the event loop's thread.
struct PeerNetwork {
    /// A search for a response: the requests that wait for it, and the nodes that it was not requested from yet.
    private struct Search {
        var waiters: [HTTPExchange] = []
        var candidates: [(peer: String, base: String)]
    }

    /// What became of a search.
    enum SearchOutcome {
        case found(CacheKey, StoredResponse, [HTTPExchange])
        case notFound(CacheKey, [HTTPExchange])
    }

    private(set) var list: PeerList
    private var searches: [CacheKey: Search] = [:]
    private let fetchers: [Fetcher<PeerJob>]
    private var idle: [Int]
    private var jobs: [PeerJob] = []
    private let log: Logger

    /// - Parameter addresses: The nodes that `--peer` names.
    init(
        node: String, addresses: [String], client: HTTPClient, outcomes: Mailbox<Fetcher<PeerJob>.Outcome>, log: Logger,
        at now: Int64
    ) throws(SystemError) {
        list = PeerList(node: node, addresses: addresses, at: now)
        self.log = log
        fetchers = try (0..<NodeLimits.peerFetchers).map { number throws(SystemError) in
            try Fetcher(name: "peer-\(number)", number: number, client: client, outcomes: outcomes)
        }
        idle = Array(fetchers.indices)
    }

    /// Notes a node that has announced itself.
    mutating func note(_ address: String, at now: Int64) {
        if list.note(address, at: now) { log.notice("node found", ["node.address": address]) }
    }

    /// Searches for a response, for a request or only to store it. Returns false if no other node may have it.
    mutating func search(
        _ key: CacheKey, for waiter: HTTPExchange?, listedOnly: Bool = false, keys: FarmKeys, at now: Int64
    ) -> Bool {
        if let search = searches[key] {
            guard search.waiters.count < NodeLimits.waiters else { return false }
            if let waiter { searches[key]?.waiters.append(waiter) }
            return true
        }
        guard let farm = keys.identifier(of: key.farm) else { return false }
        let candidates = list.candidates(for: key, of: farm, listedOnly: listedOnly, at: now)
        guard !candidates.isEmpty, searches.count < NodeLimits.searches else { return false }
        searches[key] = Search(waiters: waiter.map { [$0] } ?? [], candidates: candidates)
        requestNext(key)
        return true
    }

    /// Requests a response from the next node. Returns false if there is none left.
    @discardableResult
    private mutating func requestNext(_ key: CacheKey) -> Bool {
        guard let next = searches[key]?.candidates.first else { return false }
        searches[key]?.candidates.removeFirst()
        jobs.append(.content(key, peer: next.peer, base: next.base))
        return true
    }

    /// Whether another node lists a response.
    func lists(_ key: CacheKey, _ keys: FarmKeys) -> Bool {
        keys.identifier(of: key.farm).map { list.lists(key.target, of: $0) } ?? false
    }

    /// Handles the outcome of a request. Returns what became of a search; nil if it goes on, or for an index.
    mutating func finish(_ outcome: Fetcher<PeerJob>.Outcome, keys: FarmKeys, at time: Moment) -> SearchOutcome? {
        idle.append(outcome.fetcher)
        switch outcome.job {
        case .index(let peer, _):
            note(list.takeIndex(outcome.result, of: peer, at: time.monotonic), of: peer)
            return nil
        case .content(let key, let peer, _):
            switch outcome.result {
            case .failure(let error):
                note(list.avoid(peer, error.message, isFalse: false, at: time.monotonic), of: peer)
            case .success(let response):
                switch PeerContent.accept(response, for: key, farmKey: keys[key.farm], at: time.real) {
                case .success(let stored):
                    list.succeed(peer, at: time.monotonic)
                    return .found(key, stored, searches.removeValue(forKey: key)?.waiters ?? [])
                case .failure(let refusal) where refusal.isFalse:
                    note(list.avoid(peer, refusal.reason, isFalse: true, at: time.monotonic), of: peer)
                case .failure: break
                }
            }
            return requestNext(key) ? nil : .notFound(key, searches.removeValue(forKey: key)?.waiters ?? [])
        }
    }

    private func note(_ verdict: PeerList.Verdict, of peer: String) {
        guard case .avoided(let reason, let isFalse) = verdict else { return }
        if isFalse {
            log.warning("false response of a node refused", ["node.address": peer, "reason": reason])
        } else {
            log.notice("node not reached", ["node.address": peer, "reason": reason])
        }
    }

    /// Ends a round of the event loop: requests indexes that are due, and starts what can be started.
    mutating func endRound(at now: Int64) {
        for address in list.forget(at: now) { log.notice("node forgotten", ["node.address": address]) }
        for due in list.dueIndexes(at: now) { jobs.append(.index(peer: due.peer, tag: due.tag)) }
        while let fetcher = idle.last, !jobs.isEmpty {
            idle.removeLast()
            fetchers[fetcher].start(jobs.removeFirst())
        }
    }
}
