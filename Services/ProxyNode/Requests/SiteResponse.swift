import HTTP
import Sharing

/// Responses of other web sites, which a node passes on beside the farms' pages.
///
/// A site has an address of its own, the node's port for it. Its pages run in a sandbox: they have no storage and no
/// service worker, and send no forms. Of the farms and of other sites they can read what every visitor may read here.
enum SiteResponse {
    private static let sandbox = "sandbox allow-scripts allow-popups"
    /// What would outlast the page, or speak for the site's own address.
    private static let removed = [
        "Service-Worker-Allowed", "Clear-Site-Data", "Report-To", "Reporting-Endpoints", "NEL", "Refresh", "SourceMap",
        "Furrow-Cache-Control",
    ]

    /// Returns a site's response as visitors get it. A redirection within the site stays at the node.
    static func sandboxed(_ response: HTTPResponse, of site: String) -> HTTPResponse {
        var response = response
        for name in removed { response.headers[name] = nil }
        // A browser obeys all policies of the list.
        let policies = response.headers.all("Content-Security-Policy") + [sandbox]
        response.headers["Content-Security-Policy"] = policies.joined(separator: ", ")
        response.headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), payment=()"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        // Nothing about the requester was sent, so the response may be passed on. It is not stored.
        if CacheDirectives(response.headers).isPrivate { response.headers["Cache-Control"] = "no-store" }
        if let location = response.headers["Location"], location.hasPrefix("\(site)/") {
            response.headers["Location"] = String(location.dropFirst(site.utf8.count))
        }
        return response
    }
}
