import Crypto
import HTTP
import JSON
import SQLite
import Vocabulary

/// What a node says to other nodes and about them.
enum PeerReport {
    /// Returns the index of a node: what is stored of each farm and can be proven, the most requested first.
    static func index(
        _ farms: [FarmAddress], _ cache: ResponseCache, _ keys: FarmKeys, node: String, at real: Int64
    ) throws(SQLiteError) -> [UInt8] {
        let entries = try popular(farms, cache)
        var json = JSONWriter()
        json.object { json in
            json.member("node", node)
            json.field(
                "farms",
                array: { json in
                    for farm in farms {
                        guard let key = keys.identifier(of: farm.address) else { continue }
                        json.element(object: { json in
                            json.member("key", key)
                            json.member("port", farm.port)
                        })
                    }
                })
            json.field(
                "entries",
                array: { json in
                    for entry in entries.prefix(NodeLimits.listed) {
                        guard let key = keys.identifier(of: entry.key.farm) else { continue }
                        json.element(object: { json in
                            json.member("farm", key)
                            json.member("target", entry.key.target)
                            json.member("type", String(entry.type.prefix { $0 != ";" }))
                            // Rounded, so that the index changes with the order and not with each request.
                            json.member(
                                "requests", entry.rank.requests(at: Double(real) / 1_000_000).rounded(.up))
                        })
                    }
                })
        }
        return json.bytes
    }

    /// Returns what other nodes can prove, the most requested first.
    static func popular(
        _ farms: [FarmAddress], _ cache: ResponseCache
    ) throws(SQLiteError) -> [ResponseCache.IndexEntry] {
        var entries: [ResponseCache.IndexEntry] = []
        for farm in farms {
            entries += try cache.index(of: farm.address, limit: NodeLimits.listed).filter { isShared($0.key) }
        }
        return entries.sorted { ($1.rank.rank, $0.key.target) < ($0.rank.rank, $1.key.target) }
    }

    /// Whether other nodes can prove a response: pictures by their names, the rest by the farm's signature.
    private static func isShared(_ key: CacheKey) -> Bool {
        guard !key.isPage, key.target != FarmKeys.target else { return false }
        return ["/v1/", "/media/", "/ledger/"].contains { key.target.hasPrefix($0) }
    }

    /// Returns the entity tag of an index.
    static func tag(_ index: [UInt8]) -> String { "\"\(Hex.encode(SHA256.hash(index).prefix(8)))\"" }

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
