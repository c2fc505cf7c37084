import HTTP

/// What a node does with a request.
enum NodeRequest: Hashable, Sendable {
    /// It is about the node itself: the path behind the prefix.
    case node(String)
    /// It is fetched or served from the cache.
    case fetch(CacheKey)
    /// The stream of notifications that there is something new.
    case live
    /// Only the farm may do it, over a connection of its own.
    case farmOnly
    /// The address is too long, or is none of a farm.
    case unusable

    /// The paths of a node's own responses (RFC 8615).
    static let prefix = "/.well-known/furrow-node"

    /// - Parameter farm: the address of the farm, without a path.
    init(_ request: HTTPRequest, of farm: String) {
        if request.path == Self.prefix || request.path.hasPrefix(Self.prefix + "/") {
            self = .node(String(request.path.dropFirst(Self.prefix.utf8.count)))
            return
        }
        // A node stores what every visitor may read, so it never passes on who the requester is. Changes and personal
        // data need a connection to the farm itself.
        guard request.method == "GET", request.headers["Authorization"] == nil else {
            self = .farmOnly
            return
        }
        guard request.path != "/v1/sync/live" else {
            self = .live
            return
        }
        let target = request.target + Self.query(request.query)
        // An address that begins with two slashes would be another host's in a link.
        guard target.hasPrefix("/"), !target.hasPrefix("//"), target.utf8.count <= NodeLimits.targetBytes else {
            self = .unusable
            return
        }
        self = .fetch(CacheKey(farm: farm, target: target, isPage: Self.isPage(request)))
    }

    /// Whether a browser requests a page that it will show.
    static func isPage(_ request: HTTPRequest) -> Bool { request.headers["Accept"]?.contains("text/html") == true }

    /// Returns the query part of an address, percent-encoded (RFC 3986, 2.1).
    private static func query(_ parameters: [(name: String, value: String)]) -> String {
        guard !parameters.isEmpty else { return "" }
        return "?" + parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}

/// What a stored response is found by.
struct CacheKey: Hashable, Sendable {
    /// The address of the farm, without a path.
    let farm: String
    /// Path and query, percent-encoded.
    let target: String
    /// Whether a browser requested a page, to which the farm may respond otherwise than to a program.
    let isPage: Bool

    /// Whether it makes sense to fetch it later: not what changed since a position, which pages request again.
    var isDeferrable: Bool { !target.hasPrefix("/v1/sync?") }
}
