import HTTP

/// Lets nodes store what every visitor may read, so that they can serve it where there is no network.
///
/// `Furrow-Cache-Control` is a targeted field (RFC 9213): only `furrow-node` obeys it. Browsers and general caches obey
/// `Cache-Control`, by which they revalidate or do not store.
enum NodeCaching {
    static let header = "Furrow-Cache-Control"

    /// Fresh for five seconds, usable for a minute while a newer one is fetched, and for a week without the farm.
    static let value = "max-age=5, stale-while-revalidate=60, stale-if-error=604800"

    /// For what never changes under its address.
    static let lasting = "max-age=31536000"

    /// Pages that ask for passwords, addresses or orders are none of a node's: their forms would send these to it.
    static func value(forPage path: String) -> String {
        let first = path.split(separator: "/", maxSplits: 1).first ?? ""
        return personal.contains(first) ? "private" : value
    }

    /// The first segments of the addresses of these pages.
    static let personal: Set<Substring> = [
        "staff", "app", "setup", "checkout", "settings", "sign-in", "forgot", "reset",
    ]

    private static let paths = Routes.all.filter { route in
        guard route.access == .everyone, !route.method.isMutation else { return false }
        if case .own(.pullLive) = route.duty { return false }
        return true
    }.map(\.path)

    /// Adds the field to a successful response that is the same for every visitor: of a public route, without
    /// credentials, and not already cacheable by all.
    static func add(to response: inout HTTPResponse, for request: HTTPRequest) {
        guard request.method == "GET", response.status == 200 || response.status == 304,
            ["no-store", "no-cache"].contains(response.headers["Cache-Control"]),
            request.headers["Authorization"] == nil, SessionCookie.token(of: request) == nil
        else { return }
        let parts = Array(request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
        if paths.contains(where: { $0.match(parts) != nil }) { response.headers[header] = value }
    }
}
