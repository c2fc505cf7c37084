import EventSourcing
import HTTP
import JSON
import Wire

/// The headers that keep a browser from being turned against its user.
enum SecurityHeaders {
    static func add(to response: inout HTTPResponse, isSecure: Bool) {
        response.headers["Content-Security-Policy"] =
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        // Only over TLS: over plain HTTP browsers ignore it (RFC 6797, section 8.1).
        if isSecure { response.headers["Strict-Transport-Security"] = "max-age=31536000" }
    }
}

extension HTTPResponse {
    /// What a service answered, as it is.
    init(_ answer: Answer) {
        let isProblem = answer.status >= 400
        self.init(
            status: answer.status, type: isProblem ? "application/problem+json" : "application/json", body: answer.body)
        if answer.status == 503 { headers["Retry-After"] = "1" }
        if answer.status == 401 { headers["WWW-Authenticate"] = "Bearer" }
    }

    init(_ problem: Problem) {
        self.init(problem.answer)
    }

    static func made(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> HTTPResponse {
        HTTPResponse(.made(status, write))
    }

    /// The response with one more header.
    func with(_ name: String, _ value: String) -> HTTPResponse {
        var copy = self
        copy.headers[name] = value
        return copy
    }
}
