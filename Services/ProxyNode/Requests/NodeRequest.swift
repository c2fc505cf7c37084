import HTTP
import Sharing
import Wire

/// What a node does with a request.
enum NodeRequest: Hashable, Sendable {
    /// It is about the node itself: the path behind the prefix.
    case node(String)
    /// It is fetched or served from the cache.
    case fetch(CacheKey)
    /// It is encrypted to the farm, and passed on or stored until that is possible.
    case sealed
    /// The stream of notifications that there is something new.
    case live
    /// Only the farm may do it, over a connection of its own.
    case farmOnly
    /// The address is too long, or is none of a farm.
    case unusable

    /// The paths of a node's own responses (RFC 8615).
    static let prefix = PeerIndex.prefix

    /// - Parameters:
    ///   - farm: the address of the farm or site, without a path.
    ///   - isSite: whether it is another web site, of which pages are read and nothing else.
    init(_ request: HTTPRequest, of farm: String, isSite: Bool = false) {
        if request.path == Self.prefix || request.path.hasPrefix(Self.prefix + "/") {
            self = .node(String(request.path.dropFirst(Self.prefix.utf8.count)))
            return
        }
        // A node stores what every visitor may read, so it never passes on who the requester is. Changes and personal
        // data need a connection to the farm itself.
        guard isSite || request.method != "POST" || request.path != ObliviousHTTP.path else {
            self = request.headers["Content-Type"] == ObliviousHTTP.requestType ? .sealed : .unusable
            return
        }
        guard request.method == "GET", request.headers["Authorization"] == nil else {
            self = .farmOnly
            return
        }
        guard isSite || request.path != "/v1/sync/live" else {
            self = .live
            return
        }
        let target = request.address
        // An address that begins with two slashes would be another host's in a link.
        guard target.hasPrefix("/"), !target.hasPrefix("//"), target.utf8.count <= SharingLimits.targetBytes else {
            self = .unusable
            return
        }
        self = .fetch(CacheKey(farm: farm, target: target, isPage: Self.isPage(request)))
    }

    /// Whether a browser requests a page that it will show.
    static func isPage(_ request: HTTPRequest) -> Bool { request.headers["Accept"]?.contains("text/html") == true }
}

extension CacheKey {
    /// Whether it makes sense to fetch it later: not what changed since a position, which pages request again.
    var isDeferrable: Bool { !target.hasPrefix("/v1/sync?") }
}
