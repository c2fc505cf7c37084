import Events
import HTTP
import Vocabulary
import Wire

/// The checks that a request passes before it is handled.
enum RequestGuard {
    /// Throws if the body is too large, the `Origin` is foreign or the media type is wrong.
    ///
    /// A route that takes JSON of devices accepts any media type, and no cookie (``UplinkToken``).
    ///
    /// A page of another site can make a browser send requests, but not with these media types and not with a false
    /// `Origin`. Together with SameSite=Strict these are three defences, each sufficient by itself.
    static func checkForm(of request: HTTPRequest, for route: Route) throws(Problem) {
        let most = if case .picture = route.takes { GatewayLimits.photographBytes } else { GatewayLimits.bodyBytes }
        guard request.body.count <= most else {
            throw Problem(413, "too-large", "Send at most \(most) bytes at once.")
        }
        guard route.method.isMutation else { return }
        if let origin = request.headers["Origin"] {
            guard let host = request.headers["Host"], isSame(origin, host, request.isSecure) else {
                throw Problem(403, "foreign-origin", "Pages of other sites cannot change anything here.")
            }
        }
        let type = mediaType(of: request)
        switch route.takes {
        case .nothing, .deviceJSON: break
        case .json:
            guard type == "application/json" else {
                throw Problem(415, "media-type", "Send application/json.")
            }
        case .picture:
            guard type.hasPrefix("image/") || type == "application/octet-stream" else {
                throw Problem(415, "media-type", "Send the picture's own type, such as image/jpeg.")
            }
        case .octets:
            guard type == "application/octet-stream" else {
                throw Problem(415, "media-type", "Send application/octet-stream.")
            }
        }
    }

    /// Throws if the body's `person` is not the caller. A shared browser may store one person's changes while another
    /// is signed in. Other errors of the body are reported by later checks.
    static func checkOwner(of request: HTTPRequest, for route: Route, _ caller: Caller?) throws(Problem) {
        guard let caller, case .json(let shape) = route.takes,
            shape.members.contains(where: { $0.name == "person" })
        else { return }
        let person: String?
        do throws(Problem) { person = try RequestBody(request.body).find("person") } catch { return }
        guard person ?? caller.person.rawValue == caller.person.rawValue else {
            throw Problem(401, "somebody-else", "This is somebody else's: they have to sign in to send it.")
        }
    }

    static func admit(_ caller: Caller?, to route: Route) throws(Problem) {
        guard case .atLeast(let role) = route.access else { return }
        guard let caller else { throw Problem(401, "not-signed-in", "Sign in first.") }
        guard caller.role.includes(role) else {
            throw Problem(403, "not-allowed", "This takes the rights of a \(role.rawValue).")
        }
    }

    /// Returns the `Idempotency-Key` of a change, or nil for a query or if the route needs none and none was sent.
    ///
    /// Throws if it is missing or malformed.
    static func key(of request: HTTPRequest, for route: Route) throws(Problem) -> String? {
        guard route.method.isMutation else { return nil }
        let key = request.headers["Idempotency-Key"]
        if key == nil, !route.needsKey { return nil }
        guard let key, StringFormat.key.accepts(key) else {
            throw Problem(
                400, "idempotency-key",
                "Send a header Idempotency-Key of 1 to \(GatewayLimits.keyBytes) printable characters without spaces: a name "
                    + "of yours for this change.")
        }
        return key
    }

    private static func mediaType(of request: HTTPRequest) -> String {
        let header = request.headers["Content-Type"] ?? ""
        return header.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    }

    /// Compares an origin such as `https://farm.example` with a host such as `farm.example`.
    ///
    /// Over TLS an `http` origin is foreign: anyone on the network path may have written that page. Over plain HTTP an
    /// `https` origin is accepted, because a proxy may terminate TLS.
    private static func isSame(_ origin: String, _ host: String, _ isSecure: Bool) -> Bool {
        guard let scheme = origin.firstRange(of: "://") else { return false }
        guard !isSecure || origin[..<scheme.lowerBound].lowercased() == "https" else { return false }
        return origin[scheme.upperBound...].lowercased() == host.lowercased()
    }
}

extension Role {
    /// Whether the role has all rights of the other role.
    func includes(_ other: Role) -> Bool { rank >= other.rank }

    private var rank: Int {
        switch self {
        case .buyer: 0
        case .auditor: 1
        case .grower: 2
        case .administrator: 3
        }
    }
}
