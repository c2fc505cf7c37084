import Sharing

/// A request to another node.
enum PeerJob: Hashable, FetchJob {
    static let seconds = SharingLimits.peerSeconds

    /// The index of the node at this address, unless it has this entity tag.
    case index(peer: String, tag: String?)
    /// A response that the node at `peer` serves at `base`.
    case content(CacheKey, peer: String, base: String)

    var url: String {
        switch self {
        case .index(let peer, _): peer + PeerIndex.path
        case .content(let key, _, let base): base + key.target
        }
    }

    var headers: [(String, String)] {
        switch self {
        case .index(_, let tag): tag.map { [("If-None-Match", $0)] } ?? []
        case .content(let key, _, _): [("Accept", key.accepted), ("Cache-Control", "only-if-cached")]
        }
    }
}
