package import HTTP
import JSON
import System

/// The others in the same network: nodes and clients, what each has, and which of them may be called.
package struct PeerList: Sendable {
    /// What became of a request to another.
    package enum Verdict: Hashable, Sendable {
        case accepted
        /// It was avoided for a while. `isFalse` says that it sent something that is not the farm's.
        case avoided(reason: String, isFalse: Bool)
    }

    /// The identifier by which this node or client recognises itself.
    package let node: String
    /// The others by their addresses.
    package private(set) var peers: [String: Peer] = [:]

    /// - Parameter addresses: Those that are known without an announcement.
    package init(node: String, addresses: [String], at now: Int64) {
        self.node = node
        for address in addresses.prefix(SharingLimits.namedPeers) {
            peers[address] = Peer(address: address, isConfigured: true, at: now)
        }
    }

    /// Notes one that has announced itself. Returns whether it is new and there was room for it.
    package mutating func note(_ address: String, at now: Int64) -> Bool {
        guard peers[address] == nil else {
            peers[address]?.lastSeen = now
            return false
        }
        guard peers.count < SharingLimits.peers else { return false }
        peers[address] = Peer(address: address, isConfigured: false, at: now)
        return true
    }

    /// Removes those that were neither announced nor reached for long, and returns their addresses.
    package mutating func forget(at now: Int64) -> [String] {
        let gone = peers.values.filter { !$0.isConfigured && now - $0.lastSeen > SharingLimits.peerMicroseconds }
        for peer in gone { peers[peer.address] = nil }
        return gone.map(\.address)
    }

    // MARK: Content

    /// Whether another one lists a response of the farm with a key of this identifier.
    package func lists(_ target: String, of farm: String) -> Bool {
        peers.values.contains { $0.lists(target, of: farm) }
    }

    /// Returns those to request a response from, and where each serves the farm; those that list it first, and
    /// ``SharingLimits/peersPerSearch`` at most.
    package func candidates(
        for key: CacheKey, of farm: String, listedOnly: Bool = false, kind: PeerKind? = nil, at now: Int64
    ) -> [(peer: String, base: String)] {
        guard key.isShared else { return [] }
        let usable = peers.values.filter { $0.isUsable(at: now) && (kind == nil || $0.index?.kind == kind) }
            .sorted { $0.address < $1.address }
        let listing = usable.filter { $0.lists(key.target, of: farm) }
        let order = listing + (listedOnly ? [] : usable.filter { !$0.lists(key.target, of: farm) })
        return order.lazy.compactMap { peer in peer.address(of: farm).map { (peer.address, $0) } }
            .prefix(SharingLimits.peersPerSearch).map { $0 }
    }

    /// Notes that a response of another one was accepted.
    package mutating func succeed(_ peer: String, at now: Int64) { peers[peer]?.succeed(at: now, isTrue: true) }

    /// Avoids another one for a while: it did not answer, or with something that is not the farm's.
    package mutating func avoid(_ peer: String, _ reason: String, isFalse: Bool, at now: Int64) -> Verdict {
        peers[peer]?.avoid(reason, isFalse: isFalse, at: now)
        return .avoided(reason: reason, isFalse: isFalse)
    }

    // MARK: Indexes

    /// Returns whose index is to be requested now, a limited number of them, with the entity tag of the known one.
    package mutating func dueIndexes(at now: Int64, limit: Int = SharingLimits.peers) -> [(peer: String, tag: String?)]
    {
        let due = peers.values.lazy.filter { !$0.isIndexRequested && now >= $0.nextIndex && $0.isUsable(at: now) }
            .prefix(limit).map { $0 }
        for peer in due {
            peers[peer.address]?.isIndexRequested = true
            peers[peer.address]?.nextIndex = now + SharingLimits.indexMicroseconds
        }
        return due.map { ($0.address, $0.tag) }
    }

    /// Handles the response to a request for an index. One that this node or client sent itself is not stored.
    package mutating func takeIndex(
        _ result: Result<HTTPResponse, HTTPError>, of peer: String, at now: Int64
    ) -> Verdict {
        peers[peer]?.isIndexRequested = false
        switch result {
        case .failure(let error): return avoid(peer, error.message, isFalse: false, at: now)
        case .success(let response) where response.status == 304: peers[peer]?.succeed(at: now, isTrue: false)
        case .success(let response) where response.body.count > SharingLimits.indexBytes:
            return avoid(peer, "its index is too long", isFalse: true, at: now)
        case .success(let response):
            do throws(JSONError) {
                let index = try PeerIndex(json: JSONValue.parse(response.body))
                guard index.node != node else {
                    peers[peer] = nil
                    return .accepted
                }
                peers[peer]?.succeed(at: now, isTrue: false)
                peers[peer]?.index = index
                peers[peer]?.tag = response.headers["ETag"]
            } catch {
                return avoid(peer, "its index cannot be read: \(error.message)", isFalse: true, at: now)
            }
        }
        return .accepted
    }
}
