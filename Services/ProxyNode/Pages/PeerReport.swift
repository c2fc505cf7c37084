import JSON
import SQLite
import Sharing

/// What a node says to other nodes and about them.
enum PeerReport {
    /// Returns the index of a node: what is stored of each farm and can be proven, the most requested first.
    static func index(
        _ farms: [FarmAddress], _ cache: ResponseCache, _ keys: FarmKeys, node: String, at real: Int64
    ) throws(SQLiteError) -> [UInt8] {
        let entries = try popular(farms, cache).prefix(SharingLimits.listed).compactMap { entry in
            keys.identifier(of: entry.key.farm).map {
                SharedIndex.Entry(
                    farm: $0, target: entry.key.target, type: entry.type,
                    requests: entry.rank.requests(at: Double(real) / 1_000_000))
            }
        }
        let served = farms.compactMap { farm in
            keys.identifier(of: farm.address).map { SharedIndex.Farm(key: $0, port: farm.port) }
        }
        return SharedIndex(node: node, kind: .node, farms: served, entries: entries).json
    }

    /// Returns what other nodes can prove, the most requested first.
    static func popular(
        _ farms: [FarmAddress], _ cache: ResponseCache
    ) throws(SQLiteError) -> [ResponseCache.IndexEntry] {
        var entries: [ResponseCache.IndexEntry] = []
        for farm in farms where !farm.isSite {
            entries += try cache.index(of: farm.address, limit: SharingLimits.listed).filter(\.key.isShared)
        }
        return entries.sorted { ($1.rank.rank, $0.key.target) < ($0.rank.rank, $1.key.target) }
    }

    /// Returns the other nodes with what they have.
    static func json(_ peers: [String: Peer], at now: Int64) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field(
                "peers",
                array: { json in
                    for (_, peer) in peers.sorted(by: { $0.key < $1.key }) {
                        json.element(object: { write(peer, to: &$0, at: now) })
                    }
                })
        }
        return json.bytes
    }

    private static func write(_ peer: Peer, to json: inout JSONWriter, at now: Int64) {
        json.member("address", peer.address)
        json.member("node", ifPresent: peer.index?.node)
        json.member("kind", ifPresent: peer.index?.kind.rawValue)
        json.member("usable", peer.isUsable(at: now))
        json.member("refused", peer.refused)
        json.member("reason", ifPresent: peer.reason)
        json.field(
            "entries",
            array: { json in
                for entry in peer.index?.entries ?? [] {
                    json.element(object: { json in
                        json.member("farm", entry.farm)
                        json.member("target", entry.target)
                        json.member("type", entry.type)
                        json.member("requests", entry.requests)
                    })
                }
            })
    }

    /// Returns the other nodes for the page of the farm with a key of this identifier, with what they have of it.
    static func page(_ peers: [String: Peer], of farm: String?, at now: Int64) -> [NodePages.Peer] {
        peers.values.sorted { $0.address < $1.address }.map { peer in
            let state =
                peer.index == nil ? "not reached yet" : peer.isUsable(at: now) ? "in this network" : "not used now"
            let reason = peer.isUsable(at: now) ? "" : peer.reason.map { ": \($0)" } ?? ""
            return NodePages.Peer(
                address: peer.address, state: state + reason,
                targets: (peer.index?.entries ?? []).filter { $0.farm == farm }.map(\.target))
        }
    }
}
