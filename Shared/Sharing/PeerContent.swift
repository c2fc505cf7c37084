package import HTTP
import Wire

/// Decides whether a response that another node has passed on is the farm's: a picture by its name, which is its
/// SHA-256, and anything else by the farm's signature.
package enum PeerContent {
    /// Returns the response as if the farm had sent it, or why it is not accepted.
    ///
    /// Only the fields that the signature covers are taken, and the time is that of the signature: a node cannot make
    /// a response younger than it is.
    /// - Parameters:
    ///   - farmKey: The farm's key; nil if this node does not know it.
    ///   - real: The time in microseconds since 1970.
    package static func accept(
        _ response: HTTPResponse, for key: CacheKey, farmKey: [UInt8]?, at real: Int64
    ) -> Result<StoredResponse, Refusal> {
        guard response.status == 200 else { return .failure(Refusal("status \(response.status)", isFalse: false)) }
        if MediaName.isNamed(key.target) {
            guard MediaName.isRight(key.target, response.body), let type = picture(response.body) else {
                return .failure(Refusal("a picture is not the one of its name", isFalse: true))
            }
            let headers: HTTPHeaders = [
                "Content-Type": type, "Cache-Control": "public, max-age=31536000, immutable",
                "X-Content-Type-Options": "nosniff",
            ]
            return .success(StoredResponse(headers: headers, body: response.body, receivedAt: real))
        }
        guard let farmKey else { return .failure(Refusal("the farm's key is not known here", isFalse: false)) }
        let proof: ResponseSignature.Proof
        do throws(ResponseSignature.Refusal) {
            proof = try ResponseSignature.verify(
                ResponseSignature.Target(key.target), headers: response.headers.fields, body: response.body,
                publicKey: farmKey, now: real / 1_000_000)
        } catch {
            return .failure(Refusal(error.reason, isFalse: true))
        }
        let signature: Set<String> = ["signature", "signature-input"]
        let headers = HTTPHeaders(
            response.headers.passedOn.fields.filter {
                proof.fields.union(signature).contains($0.name.lowercased())
            }.map { ($0.name, $0.value) })
        let stored = StoredResponse(
            headers: headers, body: response.body, receivedAt: min(real, proof.created * 1_000_000))
        let isPage = headers["Content-Type"]?.hasPrefix("text/html") ?? false
        guard stored.directives.isStorable, isPage == key.isPage || !key.isPage else {
            return .failure(Refusal("it may not be passed on", isFalse: true))
        }
        return .success(stored)
    }

    /// Why a response was not accepted, and whether the other node lied, or only has not got it.
    package struct Refusal: Error, Hashable {
        package let reason: String
        package let isFalse: Bool

        package init(_ reason: String, isFalse: Bool) { (self.reason, self.isFalse) = (reason, isFalse) }
    }

    /// Returns the media type of a picture by its first bytes; nil if it is none.
    package static func picture(_ body: [UInt8]) -> String? {
        if body.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if body.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if body.count > 12, body.starts(with: Array("RIFF".utf8)), Array(body[8..<12]) == Array("WEBP".utf8) {
            return "image/webp"
        }
        return nil
    }
}
