import HTTP
import JSON
import Sharing
import Vocabulary

/// The responses that a node sends to requesters.
enum NodeResponses {
    /// Whether the stored response is sent because it is usable, or because the farm was not reached.
    enum Use: Hashable {
        case hit
        case stale(String)
    }

    /// Returns a stored response with its age, or 304 if the requester has it (RFC 9110, 13.1.2).
    static func stored(
        _ response: StoredResponse, of key: CacheKey, for request: HTTPRequest, _ use: Use, at real: Int64
    ) -> HTTPResponse {
        let age = response.age(at: real)
        let left = response.directives.maxAge - (age ?? 0)
        var status = "furrow-node; hit; ttl=\(left)"
        if case .stale(let detail) = use { status += "; detail=\(detail)" }
        let tag = response.headers["ETag"]
        let isKnown = tag.map { tag in request.headers.all("If-None-Match").contains { $0.contains(tag) } } ?? false
        var headers = response.headers
        headers["Age"] = String(age ?? 0)
        headers["Link"] = canonical(key, request)
        if isKnown { headers["Content-Type"] = nil }
        let body = isKnown ? [] : response.body
        return withSource(HTTPResponse(status: isKnown ? 304 : 200, headers: headers, body: body), status)
    }

    /// Returns a response of the farm that was just received.
    static func passedOn(
        _ response: HTTPResponse, of key: CacheKey, for request: HTTPRequest, isStored: Bool
    ) -> HTTPResponse {
        let status = "furrow-node; fwd=miss; fwd-status=\(response.status)" + (isStored ? "; stored" : "")
        var headers = response.headers.passedOn
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        headers["Link"] = canonical(key, request)
        return withSource(HTTPResponse(status: response.status, headers: headers, body: response.body), status)
    }

    /// Returns the link to the address of a response at its farm (RFC 6596).
    private static func canonical(_ key: CacheKey, _ request: HTTPRequest) -> String {
        "<\(key.farm)\(request.target)>; rel=\"canonical\""
    }

    /// The response to a request for what is stored only (RFC 9111, 5.2.1.7).
    static let notStored = problem(504, "not-stored", "This is not stored here.")

    /// Returns the response to a request that cannot be served now and is not sent later.
    static func notReached(_ farm: String) -> HTTPResponse {
        problem(504, "farm-not-reached", "This node has no network to \(farm) now.")
    }

    /// Returns the response to a request that is fetched when there is a network: a page that loads itself again, or a
    /// problem (RFC 9457) with the address of its state.
    static func deferred(_ id: String?, _ key: CacheKey, for request: HTTPRequest) -> HTTPResponse {
        guard let id else {
            return full
        }
        let link = "\(NodeRequest.prefix)/requests/\(id)"
        var response: HTTPResponse
        if NodeRequest.isPage(request) {
            let page = NodePages.waiting(key.farm, request.target)
            response = HTTPResponse(status: 504, type: "text/html; charset=utf-8", body: page)
            for (name, value) in NodePages.headers.fields { response.headers[name] = value }
        } else {
            var json = JSONWriter()
            json.object { json in
                json.member("type", "urn:furrow:problem:deferred")
                json.member("title", "deferred")
                json.member("status", 504)
                json.member(
                    "detail",
                    "This node has no network now. It fetches what you requested when it has one; the state is at "
                        + link + ".")
                json.member("request", id)
            }
            response = HTTPResponse(status: 504, type: "application/problem+json", body: json.bytes)
        }
        response.headers["Link"] = "<\(link)>; rel=\"status\""
        response.headers["Retry-After"] = "15"
        response.headers["Cache-Control"] = "no-store"
        return withSource(response, "furrow-node; fwd=miss; detail=deferred")
    }

    /// Returns the response to a request that a node must not answer because only the farm may: 403.
    ///
    /// A browser gets a page with the address at the farm.
    static func farmOnly(_ farm: String, for request: HTTPRequest) -> HTTPResponse {
        guard request.method == "GET", NodeRequest.isPage(request) else {
            return problem(
                403, "farm-only",
                "This is a node: it passes on what every visitor may read, and nothing else. Sign in and order at the "
                    + "farm itself: \(farm)/")
        }
        var response = HTTPResponse(
            status: 403, type: "text/html; charset=utf-8", body: NodePages.farmOnly(farm, request.target))
        for (name, value) in NodePages.headers.fields { response.headers[name] = value }
        return withSource(response, "furrow-node; detail=farm-only")
    }

    /// Returns the refusal of anything but reading another web site.
    static func readOnly(_ site: String) -> HTTPResponse {
        problem(
            403, "read-only", "This is a node: of \(site) it passes on what every visitor may read, and nothing else.")
    }

    static var full: HTTPResponse {
        problem(503, "node-full", "This node has no network now, and no room to store your request. Try again later.")
    }

    static var unusable: HTTPResponse { problem(502, "unusable-response", "The farm's response is unusable.") }

    static func problem(_ status: Int, _ title: String, _ detail: String) -> HTTPResponse {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "urn:furrow:problem:\(title)")
            json.member("title", title)
            json.member("status", status)
            json.member("detail", detail)
        }
        var response = HTTPResponse(status: status, type: "application/problem+json", body: json.bytes)
        if status == 503 { response.headers["Retry-After"] = "5" }
        response.headers["Cache-Control"] = "no-store"
        return withSource(response, "furrow-node; detail=\(title)")
    }

    /// Adds the source of a response (`Cache-Status`, RFC 9211), and lets pages of the farm's own address read it: all
    /// that a node sends is public.
    static func withSource(_ response: HTTPResponse, _ status: String) -> HTTPResponse {
        var response = response
        response.headers["Cache-Status"] = status
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = "Age, Cache-Status, ETag, Furrow-Hub-Position, Link"
        return response
    }
}
