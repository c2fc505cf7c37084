import EventSourcing
import HTTP
import JSON
import Wire

/// The security headers that protect a browser's user from attacks by other sites.
enum SecurityHeaders {
    /// The headers of every response, of the API and of static files.
    static let common: HTTPHeaders = [
        "Content-Security-Policy":
            "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy":
            "camera=(self), display-capture=(), geolocation=(self), microphone=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    ]

    static func add(to response: inout HTTPResponse, for request: HTTPRequest) {
        for (name, value) in common.fields { response.headers[name] = value }
        if isStrict(request) { response.headers["Strict-Transport-Security"] = "max-age=31536000" }
    }

    /// Whether the response may require TLS for this host in future (HSTS).
    ///
    /// Never over plain HTTP (RFC 6797, 8.1), and never for a host name with a port: the browser would then use TLS
    /// with the plain listener's port, too (8.3), for a year. Browsers do not store numeric addresses (8.1.1).
    private static func isStrict(_ request: HTTPRequest) -> Bool {
        guard request.isSecure else { return false }
        let host = request.headers["Host"] ?? ""
        guard !host.hasPrefix("["), let colon = host.lastIndex(of: ":") else { return true }
        return host[..<colon].allSatisfy { $0.isNumber || $0 == "." }
    }
}

extension HTTPResponse {
    /// Creates an HTTP response from a service's response, unchanged.
    init(_ answer: Response) {
        let isProblem = answer.status >= 400
        if answer.status == 304 {
            self.init(status: 304)
        } else {
            self.init(
                status: answer.status, type: isProblem ? "application/problem+json" : "application/json",
                body: answer.body)
        }
        if let tag = answer.tag {
            // A cache may store it, but must revalidate it with its tag.
            (headers["ETag"], headers["Cache-Control"]) = ("\"\(tag)\"", "no-cache")
        }
        if answer.status == 503 || answer.status == Response.tooEarly { headers["Retry-After"] = "1" }
        if answer.status == 401 { headers["WWW-Authenticate"] = "Bearer" }
    }

    init(_ problem: Problem) {
        self.init(problem.answer)
    }

    static func made(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> HTTPResponse {
        HTTPResponse(.made(status, write))
    }

    /// Returns the response with one more field of a repeatable header.
    func adding(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers.add(name, value)
        return copy
    }

    /// Returns the response with this header set.
    func with(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers[name] = value
        return copy
    }
}
