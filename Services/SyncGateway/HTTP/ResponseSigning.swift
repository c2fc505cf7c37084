import Crypto
import HTTP
import JSON
import Vault
import Vocabulary
import Wire

/// Signs public responses for those who pass them on, such as nodes without a network: what they show is the farm's.
/// Pictures need no signature, because their addresses are their SHA-256.
struct ResponseSigning {
    private static let secret = (kind: "secret", id: "response-signing")

    private let key: Ed25519Key

    /// Creates the key if the vault has none.
    init(_ vault: Vault) throws {
        if let seed = try vault.get(kind: Self.secret.kind, id: Self.secret.id) {
            key = try Ed25519Key(seed: seed)
        } else {
            key = Ed25519Key.generate()
            try vault.put(kind: Self.secret.kind, id: Self.secret.id, fields: key.seed)
        }
    }

    /// The public key as a JSON Web Key (RFC 8037).
    var publicKey: HTTPResponse {
        .made { json in
            json.field("kty", "OKP")
            json.field("crv", "Ed25519")
            json.field("x", BaseEncoding.base64url.encode(key.publicKey))
            json.field("kid", ResponseSignature.identifier(of: key.publicKey))
        }
    }

    /// Signs a response that nodes may store, if the request asks for a signature (RFC 9421, 5).
    func sign(_ response: inout HTTPResponse, for request: HTTPRequest, at time: Instant) {
        guard response.status == 200, !request.isHead, request.headers["Accept-Signature"] != nil,
            response.headers[NodeCaching.header] != nil
        else { return }
        let headers = response.headers.fields.filter { field in
            !Self.uncovered.contains(field.name.lowercased()) && response.headers.all(field.name).count == 1
        }
        let fields = ResponseSignature.fields(
            of: ResponseSignature.Target(request.address), headers: headers, body: response.body, key: key,
            created: time.microseconds / 1_000_000)
        for (name, value) in fields { response.headers[name] = value }
    }

    /// Fields that concern the farm's own address, or that those who pass a response on may replace.
    private static let uncovered: Set<String> = [
        "set-cookie", "strict-transport-security", "link", "vary", "age", "date", "content-length",
    ]
}
