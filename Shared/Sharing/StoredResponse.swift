package import HTTP

/// A response of a farm as it is stored, and its directives.
package struct StoredResponse: Sendable {
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// When the farm sent or confirmed it, in microseconds since 1970 by the node's clock.
    package let receivedAt: Int64
    /// Its age at that time, in seconds: more than 0 if it came through another node.
    package let ageThen: Int
    package let directives: CacheDirectives

    package init(headers: HTTPHeaders, body: [UInt8], receivedAt: Int64) {
        self.headers = headers
        self.body = body
        self.receivedAt = receivedAt
        ageThen = headers["Age"].flatMap { Int($0) }.map { min(max(0, $0), CacheDirectives.longestSeconds) } ?? 0
        directives = CacheDirectives(headers)
    }

    /// Returns the seconds since the farm made it; nil if the clock was set back since.
    package func age(at real: Int64) -> Int? {
        let seconds = (real - receivedAt) / 1_000_000
        return seconds >= 0 ? ageThen + Int(seconds) : nil
    }

    /// The entity tag with which a newer response is requested; nil if the farm's signature is old, so that the whole
    /// response comes with a new one.
    package func tag(at real: Int64) -> String? {
        if let signed, real / 1_000_000 - signed > SharingLimits.signatureSeconds { return nil }
        return headers["ETag"]
    }

    /// When the farm signed it, in seconds since 1970; nil without a signature.
    private var signed: Int64? {
        guard let input = headers["Signature-Input"], let mark = input.firstRange(of: ";created=") else { return nil }
        return Int64(input[mark.upperBound...].prefix { $0.isNumber })
    }

    package func freshness(at real: Int64) -> ResponseFreshness { ResponseFreshness(directives, age: age(at: real)) }

    /// Returns the response that a 304 confirms, with the header fields that the 304 replaces (RFC 9111, 4.3.4).
    package func confirmed(by headers: HTTPHeaders, at real: Int64) -> StoredResponse {
        var merged = self.headers
        merged["Age"] = nil
        for (name, value) in headers.fields where name.lowercased() != "content-type" { merged[name] = value }
        return StoredResponse(headers: merged, body: body, receivedAt: real)
    }

    /// Its size in a cache, in bytes.
    package var size: Int { body.count + headers.size + 64 }
}

extension HTTPHeaders {
    /// The bytes of the fields in a message.
    package var size: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }

    /// Returns the fields that a node stores and passes on: those of the content, and those that protect browsers.
    ///
    /// Fields about the connection (RFC 9110, 7.6.1), cookies, and the demand of TLS for a host name concern the farm's
    /// own address only.
    package var passedOn: HTTPHeaders {
        let own: Set<String> = [
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "date",
            "content-length", "set-cookie", "strict-transport-security", "www-authenticate", "server", "via",
            "cache-status", "alt-svc", "access-control-allow-origin", "access-control-expose-headers",
        ]
        return HTTPHeaders(fields.filter { !own.contains($0.name.lowercased()) }.map { ($0.name, $0.value) })
    }
}
