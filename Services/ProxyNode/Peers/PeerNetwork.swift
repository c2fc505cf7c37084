import HTTP
import JSON
import System
import Telemetry

/// The other nodes in the same network, and the searches there for responses that neither the farm nor this node's
/// cache has. It belongs to the event loop's thread.
struct PeerNetwork {
    /// A search for a response: the requests that wait for it, and the nodes that it was not requested from yet.
    private struct Search {
        var waiters: [HTTPExchange] = []
        var candidates: [String]
    }

    /// What became of a search.
    enum SearchOutcome {
        case found(CacheKey, StoredResponse, [HTTPExchange])
        case notFound(CacheKey, [HTTPExchange])
    }

    /// This node's identifier, by which it recognises its own announcement.
    let node: String
    private(set) var peers: [String: Peer] = [:]
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
        self.node = node
        self.log = log
        fetchers = try (0..<NodeLimits.peerFetchers).map { number throws(SystemError) in
            try Fetcher(name: "peer-\(number)", number: number, client: client, outcomes: outcomes)
        }
        idle = Array(fetchers.indices)
        for address in addresses { peers[address] = Peer(address: address, isConfigured: true, at: now) }
    }

    /// Notes a node that has announced itself.
    mutating func note(_ address: String, at now: Int64) {
        guard peers[address] == nil else {
            peers[address]?.lastSeen = now
            return
        }
        guard peers.count < NodeLimits.peers else { return }
        peers[address] = Peer(address: address, isConfigured: false, at: now)
        log.notice("node found", ["node.address": address])
    }

    // MARK: Searches

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
        let candidates = candidates(for: key, of: farm, listedOnly: listedOnly, at: now)
        guard !candidates.isEmpty, searches.count < NodeLimits.searches else { return false }
        searches[key] = Search(waiters: waiter.map { [$0] } ?? [], candidates: candidates)
        requestNext(key, of: farm)
        return true
    }

    /// Returns the nodes to request a response from, those first whose index lists it.
    private func candidates(
        for key: CacheKey, of farm: String, listedOnly: Bool, at now: Int64
    ) -> [String] {
        guard key.target.hasPrefix("/v1/") || key.target.hasPrefix("/media/") || key.target.hasPrefix("/ledger/") else {
            return []
        }
        let usable = peers.values.filter { $0.isUsable(at: now) && $0.address(of: farm) != nil }
            .sorted { $0.address < $1.address }
        func lists(_ peer: Peer) -> Bool {
            peer.index?.entries.contains { $0.farm == farm && $0.target == key.target } ?? false
        }
        let order = usable.filter(lists) + (listedOnly ? [] : usable.filter { !lists($0) })
        return order.prefix(NodeLimits.peersPerSearch).map(\.address)
    }

    private mutating func requestNext(_ key: CacheKey, of farm: String) {
        while let next = searches[key]?.candidates.first {
            searches[key]?.candidates.removeFirst()
            guard let base = peers[next]?.address(of: farm) else { continue }
            jobs.append(.content(key, peer: next, base: base))
            return
        }
    }

    /// Handles the outcome of a request. Returns what became of a search; nil if it goes on, or for an index.
    mutating func finish(_ outcome: Fetcher<PeerJob>.Outcome, keys: FarmKeys, at time: Moment) -> SearchOutcome? {
        idle.append(outcome.fetcher)
        switch outcome.job {
        case .index(let peer, _):
            peers[peer]?.isIndexRequested = false
            takeIndex(outcome.result, of: peer, at: time.monotonic)
            return nil
        case .content(let key, let peer, _):
            switch outcome.result {
            case .failure(let error): avoid(peer, error.message, isFalse: false, at: time.monotonic)
            case .success(let response):
                switch PeerContent.accept(response, for: key, farmKey: keys[key.farm], at: time.real) {
                case .success(let stored):
                    peers[peer]?.succeed(at: time.monotonic, isTrue: true)
                    return .found(key, stored, searches.removeValue(forKey: key)?.waiters ?? [])
                case .failure(let refusal) where refusal.isFalse:
                    avoid(peer, refusal.reason, isFalse: true, at: time.monotonic)
                case .failure: break
                }
            }
            if let farm = keys.identifier(of: key.farm) { requestNext(key, of: farm) }
            let goesOn = jobs.contains { if case .content(key, _, _) = $0 { true } else { false } }
            return goesOn ? nil : .notFound(key, searches.removeValue(forKey: key)?.waiters ?? [])
        }
    }

    private mutating func avoid(_ peer: String, _ reason: String, isFalse: Bool, at now: Int64) {
        peers[peer]?.avoid(reason, isFalse: isFalse, at: now)
        if isFalse {
            log.warning("false response of a node refused", ["node.address": peer, "reason": reason])
        } else {
            log.notice("node not reached", ["node.address": peer, "reason": reason])
        }
    }

    // MARK: Indexes

    private mutating func takeIndex(_ result: Result<HTTPResponse, HTTPError>, of peer: String, at now: Int64) {
        switch result {
        case .failure(let error): avoid(peer, error.message, isFalse: false, at: now)
        case .success(let response) where response.status == 304: peers[peer]?.succeed(at: now, isTrue: false)
        case .success(let response) where response.body.count > NodeLimits.indexBytes:
            avoid(peer, "its index is too long", isFalse: true, at: now)
        case .success(let response):
            do throws(JSONError) {
                let index = try PeerIndex(json: JSONValue.parse(response.body))
                guard index.node != node else {
                    peers[peer] = nil
                    return
                }
                peers[peer]?.succeed(at: now, isTrue: false)
                peers[peer]?.index = index
                peers[peer]?.tag = response.headers["ETag"]
            } catch {
                avoid(peer, "its index cannot be read: \(error.message)", isFalse: true, at: now)
            }
        }
    }

    /// Whether another node lists a response.
    func lists(_ key: CacheKey, _ keys: FarmKeys) -> Bool {
        guard let farm = keys.identifier(of: key.farm) else { return false }
        return peers.values.contains { peer in
            peer.index?.entries.contains { $0.farm == farm && $0.target == key.target } ?? false
        }
    }

    /// Ends a round of the event loop: requests indexes that are due, and starts what can be started.
    mutating func endRound(at now: Int64) {
        for (address, peer) in peers {
            if !peer.isConfigured, now - peer.lastSeen > NodeLimits.peerMicroseconds {
                peers[address] = nil
                log.notice("node forgotten", ["node.address": address])
            } else if !peer.isIndexRequested, now >= peer.nextIndex, peer.isUsable(at: now) {
                peers[address]?.isIndexRequested = true
                peers[address]?.nextIndex = now + NodeLimits.indexMicroseconds
                jobs.append(.index(peer: address, tag: peer.tag))
            }
        }
        while let fetcher = idle.last, !jobs.isEmpty {
            idle.removeLast()
            fetchers[fetcher].start(jobs.removeFirst())
        }
    }
}
