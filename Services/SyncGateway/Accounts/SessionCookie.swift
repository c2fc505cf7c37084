import HTTP

/// The cookie that carries a session's token (RFC 6265). Scripts cannot read it, and other sites' pages cannot send it.
///
/// Cookies ignore ports, so the plain and the TLS listener of a host share them. Each listener uses its own name.
/// Browsers do not let plain HTTP overwrite a `Secure` cookie, nor set one with the prefix `__Host-`.
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

    /// Returns the token in the listener's cookie, in `Authorization: Bearer` or in `X-API-Key`, or nil.
    static func token(of request: HTTPRequest) -> String? {
        if let key = request.headers["X-API-Key"] { return key }
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

/// The cookie that marks a device as known to an account (``KnownDevices``). It grants no access.
enum DeviceCookie {
    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-furrow_device" : "furrow_device" }

    static func set(_ value: String, isSecure: Bool) -> String {
        SessionCookie.write(name(isSecure: isSecure), value, seconds: Int(GatewayLimits.deviceSeconds), isSecure)
    }

    static func value(of request: HTTPRequest) -> String? {
        SessionCookie.value(of: name(isSecure: request.isSecure), in: request)
    }
}
