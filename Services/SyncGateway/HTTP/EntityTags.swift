import HTTP

/// The entity tags of `If-None-Match` (RFC 9110, 13.1.2), without their quotes; `*` matches every tag.
enum EntityTags {
    /// Returns the tags of a request. Weak tags count as strong: what they name is equal byte by byte.
    static func known(by request: HTTPRequest) -> [String] {
        let tags = request.headers.all("If-None-Match").flatMap { $0.split(separator: ",") }.compactMap { text in
            let text = text.filter { $0 != " " && $0 != "\t" }
            if text == "*" { return text }
            let quoted = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
            guard quoted.count > 2, quoted.hasPrefix("\""), quoted.hasSuffix("\"") else { return nil }
            return String(quoted.dropFirst().dropLast())
        }
        return Array(tags.filter { $0.utf8.count <= GatewayLimits.tagBytes }.prefix(GatewayLimits.tags))
    }
}
