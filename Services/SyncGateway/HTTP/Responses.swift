import EventSourcing
import HTTP
import JSON
import Wire

/// The headers that keep a browser from being turned against its user.
enum SecurityHeaders {
    /// What every answer carries, whoever gives it.
    static let common: HTTPHeaders = [
        "Content-Security-Policy":
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
    ]

    static func add(to response: inout HTTPResponse, for request: HTTPRequest) {
        for (name, value) in common.fields { response.headers[name] = value }
        if isStrict(request) { response.headers["Strict-Transport-Security"] = "max-age=31536000" }
    }

    /// Whether the browser may be told to come here over TLS only.
    ///
    /// Never over plain HTTP (RFC 6797, 8.1), and not where a name is called with a port: the browser would keep that
    /// name, and then ask the plain door's port for TLS, too (8.3), for a year. Numbers are never kept (8.1.1).
    private static func isStrict(_ request: HTTPRequest) -> Bool {
        guard request.isSecure else { return false }
        let host = request.headers["Host"] ?? ""
        guard !host.hasPrefix("["), let colon = host.lastIndex(of: ":") else { return true }
        return host[..<colon].allSatisfy { $0.isNumber || $0 == "." }
    }
}

extension HTTPResponse {
    /// What a service answered, as it is.
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
            // It may be kept, and has to be asked for again with its tag.
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

    /// The response with one more field of a name that may stand more than once.
    func adding(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers.add(name, value)
        return copy
    }

    /// The response with one more header.
    func with(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers[name] = value
        return copy
    }
}
