import Crypto
import HTTP
import Vocabulary
import Zlib

/// A text that is served many times: compressed once.
struct EncodedBody: Sendable {
    let identity: [UInt8]
    /// The entity tag of the body as it is; each coding has one of its own.
    let tag: String
    private let gzip: [UInt8]?

    /// How much work compression is worth.
    enum Effort {
        /// A file that does not change while the program runs.
        case once
        /// What changes every few seconds.
        case often

        var level: Int { self == .once ? 9 : 5 }
    }

    /// Shorter bodies are not compressed: they fit into one packet.
    private static let smallestBytes = 1_000

    init(_ body: [UInt8], effort: Effort) {
        identity = body
        tag = Hex.encode(SHA256.hash(body).prefix(16))
        guard body.count >= Self.smallestBytes else {
            gzip = nil
            return
        }
        gzip = Gzip.compress(body, level: effort.level).flatMap { $0.count < body.count ? $0 : nil }
    }

    /// A body that is not compressed, such as a picture.
    init(uncompressed body: [UInt8]) {
        identity = body
        tag = Hex.encode(SHA256.hash(body).prefix(16))
        gzip = nil
    }

    /// Returns the response to a request in the coding that it prefers; 304 if it has that already.
    func response(to request: HTTPRequest, type: String) -> HTTPResponse {
        let encoded = ContentCoding.preferred(by: request) == .gzip ? gzip : nil
        let coding = encoded == nil ? ContentCoding.identity : .gzip
        let tag = coding == .identity ? self.tag : "\(self.tag)-\(coding.rawValue)"
        let known = EntityTags.known(by: request)
        var response =
            known.contains(tag) || known.contains("*")
            ? HTTPResponse(status: 304) : HTTPResponse(status: 200, type: type, body: encoded ?? identity)
        if coding != .identity, response.status == 200 { response.headers["Content-Encoding"] = coding.rawValue }
        if gzip != nil { response.headers["Vary"] = "Accept-Encoding" }
        return response.with("ETag", "\"\(tag)\"").with("Cache-Control", "no-cache")
    }
}
