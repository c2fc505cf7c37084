import Crypto
import HTTP
import Vault
import Wire

/// Requests that only this farm can read (Oblivious HTTP, RFC 9458), so that people can sign in and order through a
/// node, or anyone else, who passes on what they send.
///
/// A request in a message is handled as if it had come over TLS from the address of who passed it on.
struct SealedRequests: Sendable {
    private static let secret = (kind: "secret", id: "sealed-requests")
    /// The name of the only key.
    private static let identifier: UInt8 = 1

    private let key: X25519Key

    /// Creates the key if the vault has none.
    init(_ vault: Vault) throws {
        if let scalar = try vault.get(kind: Self.secret.kind, id: Self.secret.id) {
            key = try X25519Key(scalar: scalar)
        } else {
            key = X25519Key.generate()
            try vault.put(kind: Self.secret.kind, id: Self.secret.id, fields: key.scalar)
        }
    }

    /// The public key (`application/ohttp-keys`).
    var publicKey: HTTPResponse {
        let key = ObliviousHTTP.PublicKey(identifier: Self.identifier, bytes: key.publicKey)
        var response = HTTPResponse(status: 200, type: ObliviousHTTP.keysType, body: key.configurations)
        response.headers["Cache-Control"] = "no-cache"
        return response
    }

    /// Returns the exchange of the request in a sealed message, and any other exchange as it is.
    ///
    /// Nil for a message that cannot be read: it was answered with 400, as the sender may have an old key.
    func unwrap(_ exchange: HTTPExchange) -> HTTPExchange? {
        guard exchange.request.method == "POST", exchange.request.path == ObliviousHTTP.path,
            exchange.request.headers["Content-Type"] == ObliviousHTTP.requestType
        else { return exchange }
        do throws(ObliviousHTTP.Refusal) {
            let (inner, responseKey) = try ObliviousHTTP.open(
                exchange.request.body, for: key, identifier: Self.identifier)
            guard let request = Self.request(inner, from: exchange.request) else {
                exchange.respond(Self.sealed(HTTPResponse(Self.unusable), with: responseKey))
                return nil
            }
            return HTTPExchange(request, inside: exchange) { Self.sealed($0, with: responseKey) }
        } catch {
            let detail = "The message cannot be read: \(error.reason). Get the key again: \(ObliviousHTTP.path)."
            exchange.respond(HTTPResponse(Problem(400, "unreadable-message", detail)))
            return nil
        }
    }

    private static let unusable = Problem(400, "malformed", "The address or the method of the request is none.")

    private static func request(_ inner: BinaryHTTP.Request, from outer: HTTPRequest) -> HTTPRequest? {
        guard ["GET", "POST", "PUT", "DELETE", "PATCH"].contains(inner.method) else { return nil }
        var headers = HTTPHeaders(inner.fields.map { ($0.name, $0.value) })
        if headers["Host"] == nil { headers["Host"] = inner.authority }
        return HTTPRequest(
            method: inner.method, target: inner.path, headers: headers, body: inner.body, peer: outer.peer,
            isSecure: true)
    }

    private static func sealed(_ response: HTTPResponse, with key: ObliviousHTTP.ResponseKey) -> HTTPResponse {
        let inner = BinaryHTTP.Response(
            status: response.status, fields: response.headers.fields.map { BinaryHTTP.Field($0.name, $0.value) },
            body: response.body)
        do throws(CryptoError) {
            var sealed = HTTPResponse(
                status: 200, type: ObliviousHTTP.responseType,
                body: try key.seal(inner, nonce: Random.bytes(ObliviousHTTP.nonceSize)))
            sealed.headers["Cache-Control"] = "no-store"
            return sealed
        } catch {
            return HTTPResponse(Problem(500, "not-sealed", "The response cannot be encrypted: \(error.reason)."))
        }
    }
}
