/// The rules for a request's head, so that this server and every proxy agree where the request ends (RFC 9112, sections
/// 3, 5 and 6).
enum Framing {
    static let malformed =
        "The head of the request is malformed: each line has to end with CR LF, without folded lines and NUL."

    /// Returns why the request is refused, as a sentence; nil for a head that has one meaning.
    static func objection(target: String, version: String, _ headers: HTTPHeaders) -> String? {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { return "The version of HTTP has to be 1.1 or 1.0." }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "The target of the request holds a space or a control character."
        }
        for (name, value) in headers.fields {
            guard HTTPHeaders.isToken(name) else {
                return "The name of a header field holds a space or another character that may not stand in it."
            }
            guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
                return "The header field \(name) holds a control character."
            }
        }
        return hostObjection(version, headers) ?? lengthObjection(version, headers)
    }

    private static func hostObjection(_ version: String, _ headers: HTTPHeaders) -> String? {
        let hosts = headers.all("Host")
        guard hosts.count <= 1 else { return "The request has more than one Host field." }
        guard let host = hosts.first else { return version == "HTTP/1.0" ? nil : "The request has no Host field." }
        let isWhole = host.utf8.allSatisfy { $0 > 0x20 && !forbiddenInHost.contains($0) }
        return isWhole ? nil : "The Host field is not a host with or without a port."
    }

    private static let forbiddenInHost = Set(",/\\?#@\"<>".utf8)

    private static func lengthObjection(_ version: String, _ headers: HTTPHeaders) -> String? {
        let lengths = headers.all("Content-Length")
        let codings = headers.all("Transfer-Encoding")
        guard lengths.count <= 1 else { return "The request has more than one Content-Length field." }
        guard let coding = codings.first else { return nil }
        guard lengths.isEmpty else { return "The request has both Content-Length and Transfer-Encoding." }
        guard codings.count == 1, HTTPHeaders.areSame(coding, "chunked"), version == "HTTP/1.1" else {
            return "The only transfer coding that is understood is chunked, once, in HTTP/1.1."
        }
        return nil
    }
}
