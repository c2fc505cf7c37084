import HTTP

/// How the body of a response is encoded (RFC 9110, 8.4.1).
enum ContentCoding: String {
    case identity, gzip, zstd

    /// Returns the coding that a request prefers (RFC 9110, 12.5.3): of those that it accepts equally, the smallest.
    ///
    /// Nodes have the body as it is, because the farm's signature is over that (`ResponseSigning`).
    static func preferred(by request: HTTPRequest) -> ContentCoding {
        guard request.headers["Accept-Signature"] == nil, let accepted = request.headers["Accept-Encoding"] else {
            return .identity
        }
        var best: (coding: ContentCoding, weight: Double) = (.identity, 0)
        for item in accepted.split(separator: ",").prefix(GatewayLimits.codings) {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first, let coding = ContentCoding(rawValue: name), coding != .identity else {
                continue
            }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best.weight || weight == best.weight && weight > 0 && coding == .zstd {
                best = (coding, weight)
            }
        }
        return best.coding
    }
}
