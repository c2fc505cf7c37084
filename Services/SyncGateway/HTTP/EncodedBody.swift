import Crypto
import HTTP
import Vocabulary
import Zlib
import Zstd

/// A text that is served many times: compressed once, in every coding that browsers accept.
struct EncodedBody: Sendable {
    let identity: [UInt8]
    /// The entity tag of the body as it is; each coding has one of its own.
    let tag: String
    private let gzip: [UInt8]?
    private let zstd: [UInt8]?

    /// How much work compression is worth.
    enum Effort {
        /// A file that does not change while the program runs.
        case once
        /// What changes every few seconds.
        case often

        var gzipLevel: Int { self == .once ? 9 : 5 }
        var zstdLevel: Int { self == .once ? 15 : 3 }
    }

    /// Shorter bodies are not compressed: they fit into one packet.
    private static let smallestBytes = 1_000

    init(_ body: [UInt8], effort: Effort) {
        identity = body
        tag = Hex.encode(SHA256.hash(body).prefix(16))
        guard body.count >= Self.smallestBytes else {
            (gzip, zstd) = (nil, nil)
            return
        }
        gzip = Gzip.compress(body, level: effort.gzipLevel).flatMap { $0.count < body.count ? $0 : nil }
        zstd = Self.zstd(body, level: effort.zstdLevel).flatMap { $0.count < body.count ? $0 : nil }
    }

    /// A body that is not compressed, such as a picture.
    init(uncompressed body: [UInt8]) {
        identity = body
        tag = Hex.encode(SHA256.hash(body).prefix(16))
        (gzip, zstd) = (nil, nil)
    }

    private static func zstd(_ body: [UInt8], level: Int) -> [UInt8]? {
        do throws(ZstdError) {
            var compressor = try Compressor(level: level)
            return try compressor.compress(body)
        } catch {
            // Served as it is.
            return nil
        }
    }

    /// Returns the response to a request in the coding that it prefers; 304 if it has that already.
    func response(to request: HTTPRequest, type: String) -> HTTPResponse {
        let (coding, body): (ContentCoding, [UInt8]) =
            switch ContentCoding.preferred(by: request) {
            case .zstd where zstd != nil: (.zstd, zstd ?? identity)
            case .gzip where gzip != nil: (.gzip, gzip ?? identity)
            default: (.identity, identity)
            }
        let tag = coding == .identity ? self.tag : "\(self.tag)-\(coding.rawValue)"
        let known = EntityTags.known(by: request)
        var response =
            known.contains(tag) || known.contains("*")
            ? HTTPResponse(status: 304) : HTTPResponse(status: 200, type: type, body: body)
        if coding != .identity, response.status == 200 { response.headers["Content-Encoding"] = coding.rawValue }
        if gzip != nil || zstd != nil { response.headers["Vary"] = "Accept-Encoding" }
        return response.with("ETag", "\"\(tag)\"").with("Cache-Control", "no-cache")
    }
}
