import HTTP

/// The cookie that carries a session's token (RFC 6265): scripts can't read it, other sites' pages can't send it.
enum SessionCookie {
    static let name = "furrow_session"

    static func set(_ token: String, isSecure: Bool) -> String {
        "\(name)=\(token); Path=/; Max-Age=\(Int(Bounds.sessionSeconds)); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    static func remove(isSecure: Bool) -> String {
        "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The token that a request brings, in its cookie or as `Authorization: Bearer`.
    static func token(of request: HTTPRequest) -> String? {
        if let authorization = request.headers["Authorization"] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return String(parts[1])
        }
        for header in request.headers.all("Cookie") {
            for pair in header.split(separator: ";") {
                let halves = pair.split(separator: "=", maxSplits: 1)
                guard halves.count == 2, halves[0].filter({ $0 != " " }) == name else { continue }
                return String(halves[1])
            }
        }
        return nil
    }
}
