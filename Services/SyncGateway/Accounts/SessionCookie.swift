import HTTP

/// The cookie that carries a session's token (RFC 6265): scripts can't read it, other sites' pages can't send it.
///
/// Cookies don't know ports, so the two doors of one host share them. Each door has a name of its own: a browser lets
/// nobody replace a `Secure` cookie over plain HTTP, and the prefix `__Host-` lets nobody plant one there for TLS.
enum SessionCookie {
    static func name(isSecure: Bool) -> String { isSecure ? "__Host-furrow_session" : "furrow_session" }

    static func set(_ token: String, isSecure: Bool) -> String {
        write(name(isSecure: isSecure), token, seconds: Int(GatewayLimits.sessionSeconds), isSecure)
    }

    static func remove(isSecure: Bool) -> String {
        write(name(isSecure: isSecure), "", seconds: 0, isSecure)
    }

    fileprivate static func write(_ name: String, _ value: String, seconds: Int, _ isSecure: Bool) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The token that a request brings, in its door's cookie or as `Authorization: Bearer`.
    static func token(of request: HTTPRequest) -> String? {
        if let authorization = request.headers["Authorization"] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return String(parts[1])
        }
        return value(of: name(isSecure: request.isSecure), in: request)
    }

    fileprivate static func value(of name: String, in request: HTTPRequest) -> String? {
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

/// The cookie by which a device is known to an account (``KnownDevices``); it opens nothing.
enum DeviceCookie {
    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-furrow_device" : "furrow_device" }

    static func set(_ value: String, isSecure: Bool) -> String {
        SessionCookie.write(name(isSecure: isSecure), value, seconds: Int(GatewayLimits.deviceSeconds), isSecure)
    }

    static func value(of request: HTTPRequest) -> String? {
        SessionCookie.value(of: name(isSecure: request.isSecure), in: request)
    }
}
