public import Crypto
import Vocabulary

/// The signature of a farm over one public response, so that anyone may pass it on: HTTP Message Signatures (RFC 9421)
/// with Ed25519, over the address that was requested, the content by its digest (RFC 9530), and header fields.
///
/// The farm signs for those who send `Accept-Signature`. What the signature does not cover proves nothing.
public enum ResponseSignature {
    /// The label of the farm's signature in `Signature-Input` and `Signature`.
    public static let label = "farm"
    /// The value of `Accept-Signature` by which a response is requested with its signature.
    public static let request = "\(label)=(\"content-digest\")"
    /// Seconds for which a signature is valid: as long as a response may be used without its farm.
    public static let seconds: Int64 = 604_800

    /// What was requested: the path as it was sent, and the query with its question mark, or `?` without one.
    public struct Target: Hashable, Sendable {
        let path: String
        let query: String

        /// - Parameter text: path and query, as in `/v1/lots/A?label=1`.
        public init(_ text: String) {
            let mark = text.firstIndex(of: "?") ?? text.endIndex
            path = String(text[..<mark])
            query = mark == text.endIndex ? "?" : String(text[mark...])
        }
    }

    /// What a valid signature proves.
    public struct Proof: Hashable, Sendable {
        /// The names of the header fields that it covers, in lower case.
        public let fields: Set<String>
        /// When the farm signed, in seconds since 1970.
        public let created: Int64
    }

    /// Why a response is not accepted.
    public struct Refusal: Error, Hashable, Sendable {
        public let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Returns the identifier of a public key: its JWK thumbprint (RFC 7638, RFC 8037).
    public static func identifier(of publicKey: [UInt8]) -> String {
        let jwk = "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"\(BaseEncoding.base64url.encode(publicKey))\"}"
        return BaseEncoding.base64url.encode(SHA256.hash(Array(jwk.utf8)))
    }

    /// Returns the fields that sign a response with status 200: `Content-Digest`, `Signature-Input` and `Signature`.
    ///
    /// - Parameters:
    ///   - headers: All fields to cover, each name once.
    ///   - created: The time in seconds since 1970.
    public static func fields(
        of target: Target, headers: [(name: String, value: String)], body: [UInt8], key: Ed25519Key, created: Int64
    ) -> [(name: String, value: String)] {
        let digest = Self.digest(of: body)
        let covered = (headers + [("Content-Digest", digest)]).map { (name: $0.name.lowercased(), value: $0.value) }
        let names = Self.request(target).map(\.name) + covered.map { "\"\($0.name)\"" }
        let input =
            "(\(names.joined(separator: " ")));created=\(created);expires=\(created + seconds)"
            + ";keyid=\"\(identifier(of: key.publicKey))\";alg=\"ed25519\""
        let base = Self.base(target, covered, input)
        let signature = BaseEncoding.base64.encode(key.sign(Array(base.utf8)))
        return [
            ("Content-Digest", digest), ("Signature-Input", "\(label)=\(input)"),
            ("Signature", "\(label)=:\(signature):"),
        ]
    }

    /// Checks a response with status 200 that was passed on. Throws why it is not accepted.
    ///
    /// - Parameters:
    ///   - headers: The response's fields, with those of its signature.
    ///   - publicKey: The farm's key.
    ///   - now: The time in seconds since 1970.
    public static func verify(
        _ target: Target, headers: [(name: String, value: String)], body: [UInt8], publicKey: [UInt8], now: Int64
    ) throws(Refusal) -> Proof {
        func field(_ name: String) throws(Refusal) -> String {
            let values = headers.filter { $0.name.lowercased() == name }
            guard values.count == 1 else { throw Refusal("the field \(name) is missing, or there are several") }
            return values[0].value
        }
        let input = try SignatureInput(field("signature-input"), label: label)
        guard input.parameters["alg"] ?? "ed25519" == "ed25519",
            input.parameters["keyid"] == identifier(of: publicKey)
        else { throw Refusal("it is signed with another key") }
        guard let created = input.parameters["created"].flatMap({ Int64($0) }),
            let expires = input.parameters["expires"].flatMap({ Int64($0) })
        else { throw Refusal("the signature has no time") }
        guard now < expires, created <= now + 300 else { throw Refusal("the signature is of another time") }
        guard input.components.starts(with: Self.request(target).map(\.name)) else {
            throw Refusal("the signature does not cover what was requested")
        }
        var covered: [(name: String, value: String)] = []
        for component in input.components.dropFirst(3) {
            let name = component.dropFirst().dropLast()
            guard component.hasPrefix("\""), component.hasSuffix("\""), component.utf8.count > 2,
                !name.contains("\""), !name.hasPrefix("@")
            else { throw Refusal("the signature covers \(component), which is not understood") }
            covered.append((String(name), try field(String(name))))
        }
        guard let digest = covered.first(where: { $0.name == "content-digest" })?.value,
            digest == Self.digest(of: body)
        else { throw Refusal("the content is not the one that was signed") }
        let value = try field("signature")
        guard value.hasPrefix("\(label)=:"), value.hasSuffix(":"),
            let signature = BaseEncoding.base64.decode(String(value.dropFirst(label.count + 2).dropLast())),
            Ed25519Key.verify(
                signature: signature, message: Array(base(target, covered, input.text).utf8), publicKey: publicKey)
        else { throw Refusal("the signature is wrong") }
        return Proof(fields: Set(covered.map(\.name)), created: created)
    }

    private static func digest(of body: [UInt8]) -> String {
        "sha-256=:\(BaseEncoding.base64.encode(SHA256.hash(body))):"
    }

    /// The components that name the request and the status, with their values.
    private static func request(_ target: Target) -> [(name: String, value: String)] {
        [("\"@status\"", "200"), ("\"@path\";req", target.path), ("\"@query\";req", target.query)]
    }

    /// Returns the signature base (RFC 9421, 2.5).
    private static func base(_ target: Target, _ covered: [(name: String, value: String)], _ input: String) -> String {
        let lines = request(target).map { "\($0.name): \($0.value)" } + covered.map { "\"\($0.name)\": \($0.value)" }
        return (lines + ["\"@signature-params\": \(input)"]).joined(separator: "\n")
    }
}

/// The value of one label in `Signature-Input`: a list of components, and parameters (RFC 9421, 4.1).
struct SignatureInput {
    /// The value without the label, as it is signed.
    let text: String
    /// The components as they are written, such as `"@path";req`.
    let components: [String]
    /// The parameters without their quotation marks.
    let parameters: [String: String]

    /// Throws for anything but one label with a list.
    init(_ field: String, label: String) throws(ResponseSignature.Refusal) {
        guard field.utf8.count <= 4_096, field.hasPrefix("\(label)=("), let end = field.firstIndex(of: ")") else {
            throw ResponseSignature.Refusal("there is no signature of a farm")
        }
        text = String(field.dropFirst(label.utf8.count + 1))
        let start = field.index(field.startIndex, offsetBy: label.utf8.count + 2)
        components = field[start..<end].split(separator: " ").map(String.init)
        var parameters: [String: String] = [:]
        for part in field[field.index(after: end)...].split(separator: ";", omittingEmptySubsequences: true) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, parameters[pair[0]] == nil else {
                throw ResponseSignature.Refusal("the signature's parameters cannot be read")
            }
            parameters[pair[0]] = pair[1].filter { $0 != "\"" }
        }
        self.parameters = parameters
    }
}
