import HTTP
import JSON
import SQLite
import Sharing
import Synchronization
import System
import Vocabulary
import Wire

/// The nodes and clients in this network, and what this client has for them. Its calls block.
final class Neighbours: Sendable {
    let options: SharingOptions
    /// The random identifier of this client.
    let identifier: String
    /// The farm's address, without a path.
    let farm: String
    private let list: Mutex<PeerList>
    private let cache: Mutex<ResponseCache>
    /// The farm's key, by which it signs its public responses; nil until the farm itself has sent it.
    private let farmKey = Mutex<[UInt8]?>(nil)
    /// The pause after the farm was not reached, in which its public content is requested elsewhere.
    private let pause = Mutex(
        RetryPause(
            first: SharingLimits.pauseMicroseconds, longest: SharingLimits.longestPauseMicroseconds))
    /// The farm's key for requests that only it can read, as `application/ohttp-keys`.
    private let sealing = Mutex<[UInt8]?>(nil)
    private let client = HTTPClient(maxBodyBytes: ClientLimits.sharedBytes)

    /// Opens what is stored for others, beside the client's own file.
    init(_ options: SharingOptions, farm: String, folder: String) throws(FarmClientError) {
        self.options = options
        self.farm = farm
        do {
            identifier = try NodeIdentity.read(in: folder)
            cache = Mutex(try ResponseCache(path: "\(folder)/shared.db", limit: ClientLimits.shareBytes))
        } catch {
            throw FarmClientError(.store, "What is shared cannot be stored: \(error)")
        }
        list = Mutex(PeerList(node: identifier, addresses: options.neighbours, at: Clock.monotonicMicroseconds()))
    }

    /// The farm's key; set once the farm itself has sent it, or with the one of an earlier time.
    var key: [UInt8]? {
        get { farmKey.withLock { $0 } }
        set { farmKey.withLock { $0 = newValue } }
    }

    /// Takes over the farm's key for sealed requests.
    func takeSealingKey(_ configurations: [UInt8]?) { sealing.withLock { $0 = configurations } }

    func forgetSealingKey() { takeSealingKey(nil) }

    /// Returns the farm's key for sealed requests, as the farm has sent or signed it; nil if it is not known here.
    func sealingKey() -> ObliviousHTTP.PublicKey? {
        let known = sealing.withLock { $0 } ?? find(ObliviousHTTP.path, from: .node)?.body
        guard let known else { return nil }
        do throws(ObliviousHTTP.Refusal) {
            let key = try ObliviousHTTP.PublicKey(configurations: known)
            takeSealingKey(known)
            return key
        } catch {
            return nil
        }
    }

    // MARK: The farm

    /// Whether the farm was not reached a moment ago.
    var isFarmAway: Bool { !pause.withLock { $0.isOver(at: Clock.monotonicMicroseconds()) } }

    func noteFarm(isReached: Bool) {
        pause.withLock { isReached ? $0.succeed() : $0.fail(at: Clock.monotonicMicroseconds()) }
    }

    /// Stores a response of the farm for others, if they can prove it.
    func keep(_ response: HTTPResponse, as target: String) {
        guard case .success(let stored) = accept(response, cacheKey(target)) else { return }
        store(stored, as: target)
    }

    // MARK: What is stored

    func cacheKey(_ target: String) -> CacheKey { CacheKey(farm: farm, target: target, isPage: false) }

    /// Returns what is stored; nil if there is nothing, or the file cannot be read: it can be fetched again.
    func stored(_ target: String) -> StoredResponse? {
        withCache { cache throws(SQLiteError) in try cache.find(cacheKey(target)) } ?? nil
    }

    /// Returns what others may fetch here, the most requested first.
    func index(_ limit: Int) -> [ResponseCache.IndexEntry] {
        withCache { cache throws(SQLiteError) in try cache.index(of: farm, limit: limit) } ?? []
    }

    /// Counts a request of another one.
    func count(_ target: String) {
        withCache { cache throws(SQLiteError) in cache.count(cacheKey(target)) }
    }

    /// Writes what was counted.
    func tidy() {
        withCache { cache throws(SQLiteError) in try cache.tidy(at: Clock.realMicroseconds()) }
    }

    private func store(_ stored: StoredResponse, as target: String) {
        guard !MediaName.isNamed(target) else { return }
        withCache { cache throws(SQLiteError) in try cache.store(stored, for: cacheKey(target)) }
    }

    /// Uses the cache; a damaged file is replaced, and on a full disk nothing is stored.
    @discardableResult
    private func withCache<Result: Sendable>(
        _ body: (ResponseCache) throws(SQLiteError) -> Result
    ) -> Result? {
        cache.withLock { cache in
            do throws(SQLiteError) {
                return try body(cache)
            } catch {
                guard error.isCorrupt else { return nil }
                do { try cache.startOver() } catch { return nil }
                return nil
            }
        }
    }

    // MARK: Others

    /// Returns the others, and what each has of this farm.
    var all: [Neighbour] {
        let farm = key.map(ResponseSignature.identifier)
        let now = Clock.monotonicMicroseconds()
        return list.withLock { list in
            list.peers.values.sorted { $0.address < $1.address }.map { peer in
                Neighbour(
                    address: peer.address, isNode: peer.index?.kind ?? .node == .node,
                    isUsable: peer.index != nil && peer.isUsable(at: now), refused: peer.refused, reason: peer.reason,
                    entries: (peer.index?.entries ?? []).filter { $0.farm == farm }
                        .map { Neighbour.Entry(target: $0.target, type: $0.type) })
            }
        }
    }

    /// Notes one that has announced itself.
    func note(_ address: String) {
        _ = list.withLock { $0.note(address, at: Clock.monotonicMicroseconds()) }
    }

    /// Requests the indexes that are due, and forgets those that were not seen for long.
    ///
    /// It begins no request after two deadlines of a neighbour: a person may wait for it.
    func refresh() {
        let start = Clock.monotonicMicroseconds()
        _ = list.withLock { $0.forget(at: start) }
        while case let now = Clock.monotonicMicroseconds(),
            Double(now - start) < 2_000_000 * SharingLimits.peerSeconds,
            let (peer, tag) = list.withLock({ $0.dueIndexes(at: now, limit: 1) }).first
        {
            let result = get(peer + PeerIndex.path, tag.map { [("If-None-Match", $0)] } ?? [])
            let kind = list.withLock { list in
                _ = list.takeIndex(result, of: peer, at: Clock.monotonicMicroseconds())
                return list.peers[peer]?.index?.kind
            }
            if kind == .node, case .success(let response) = result, response.status == 200 { askForPeers(peer) }
        }
    }

    /// Learns the others from a node, for networks and devices without mDNS.
    private func askForPeers(_ node: String) {
        guard case .success(let response) = get("\(node)\(PeerIndex.prefix)/peers", []) else { return }
        for address in PeerIndex.addresses(ofOthers: response.body) { note(address) }
    }

    /// Returns a public response of the farm from the nodes or the clients in this network, once it is proven; nil if
    /// none has it. One that sends something false is avoided for a while.
    func find(_ target: String, from kind: PeerKind) -> SharedContent? {
        let cacheKey = cacheKey(target)
        guard let key else { return nil }
        refresh()
        let candidates = list.withLock { list in
            list.candidates(
                for: cacheKey, of: ResponseSignature.identifier(of: key), kind: kind, at: Clock.monotonicMicroseconds())
        }
        for (peer, base) in candidates {
            let outcome = get(
                base + target, kind == .client ? [("Cache-Control", "only-if-cached")] : [],
                seconds: kind == .client ? SharingLimits.peerSeconds : ClientLimits.nodeSeconds)
            let now = Clock.monotonicMicroseconds()
            switch outcome {
            case .failure(let error):
                _ = list.withLock {
                    $0.avoid(peer, error.message, isFalse: error.kind == .answerTooLarge, at: now)
                }
            case .success(let response):
                switch accept(response, cacheKey) {
                case .success(let stored):
                    list.withLock { $0.succeed(peer, at: now) }
                    store(stored, as: target)
                    return SharedContent(
                        stored, from: kind == .node ? .node(peer) : .client(peer))
                case .failure(let refusal):
                    guard refusal.isFalse else { continue }
                    _ = list.withLock { $0.avoid(peer, refusal.reason, isFalse: true, at: now) }
                }
            }
        }
        return nil
    }

    /// The nodes that may be called now, and where each serves the farm.
    var nodes: [(peer: String, base: String)] {
        guard let key else { return [] }
        return list.withLock { list in
            list.candidates(
                for: cacheKey(ObliviousHTTP.path), of: ResponseSignature.identifier(of: key), kind: .node,
                at: Clock.monotonicMicroseconds())
        }
    }

    /// Avoids a node or client for a while, because it sent something that is not the farm's.
    func avoid(_ peer: String, _ reason: String) {
        _ = list.withLock { $0.avoid(peer, reason, isFalse: true, at: Clock.monotonicMicroseconds()) }
    }

    /// Sends a sealed request to a node.
    func post(_ url: String, _ body: [UInt8], mayWait: Bool) -> Result<HTTPResponse, HTTPError> {
        let headers =
            [("Content-Type", ObliviousHTTP.requestType)] + (mayWait ? [("Prefer", "respond-async")] : [])
        return Result { () throws(HTTPError) in
            try client.send("POST", url, headers: headers, body: body, timeoutSeconds: ClientLimits.answerSeconds)
        }
    }

    /// Returns a response of another as if the farm had sent it, or why it is not accepted.
    func accept(_ response: HTTPResponse, _ key: CacheKey) -> Result<StoredResponse, PeerContent.Refusal> {
        PeerContent.accept(response, for: key, farmKey: self.key, at: Clock.realMicroseconds())
    }

    func get(
        _ url: String, _ headers: [(String, String)] = [], seconds: Double = SharingLimits.peerSeconds
    ) -> Result<HTTPResponse, HTTPError> {
        Result { () throws(HTTPError) in
            try client.send("GET", url, headers: [("Accept", "*/*")] + headers, timeoutSeconds: seconds)
        }
    }
}

extension SharedContent {
    init(_ stored: StoredResponse, from source: ContentSource) {
        self.init(
            type: stored.headers["Content-Type"] ?? "", body: stored.body, source: source,
            asOf: Instant(microseconds: stored.receivedAt))
    }
}
