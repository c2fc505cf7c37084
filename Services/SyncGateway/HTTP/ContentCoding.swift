import HTTP

/// How the body of a response is encoded (RFC 9110, 8.4.1).
enum ContentCoding: String {
    case identity, gzip

    /// Returns the coding that a request prefers (RFC 9110, 12.5.3): gzip wherever it is accepted. zstd would save 4 %
    /// of the pages' bytes, and not every program that names it decodes it.
    ///
    /// Nodes have the body as it is, because the farm's signature is over that (`ResponseSigning`).
    static func preferred(by request: HTTPRequest) -> ContentCoding {
        guard request.headers["Accept-Signature"] == nil, let accepted = request.headers["Accept-Encoding"] else {
            return .identity
        }
        for item in accepted.split(separator: ",").prefix(GatewayLimits.codings) {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard parts.first == gzip.rawValue else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return weight > 0 ? .gzip : .identity
        }
        return .identity
    }
}
