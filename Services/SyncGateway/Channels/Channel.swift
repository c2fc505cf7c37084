import Events
import JSON
import Vocabulary

/// A webhook or push subscription with its address and keys, stored in the vault.
struct Channel: Sendable, Equatable, JSONReadable, JSONWritable {
    /// What a kind of channel needs to deliver.
    enum Address: Sendable, Equatable {
        /// - Parameter secret: the key of the signatures.
        case webhook(url: String, secret: [UInt8])
        case push(PushSubscription)
    }

    let id: UUID
    let person: PersonID
    /// The name that a person gave it, or that of the device.
    let title: String
    let since: Instant
    let address: Address

    init(_ id: UUID, of person: PersonID, title: String, since: Instant, address: Address) {
        self.id = id
        self.person = person
        self.title = title
        self.since = since
        self.address = address
    }

    var kind: ChannelKind {
        switch address {
        case .webhook: .webhook
        case .push: .push
        }
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        id = try json.get("channel")
        person = try json.get("person")
        title = try json.get("title")
        since = try json.get("since")
        if let secret: String = try json.find("secret") {
            guard let secret = BaseEncoding.base64.decode(secret) else { throw JSONError(message: "no secret") }
            address = .webhook(url: try json.get("url"), secret: secret)
        } else {
            address = .push(try PushSubscription(json: json))
        }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("channel", id)
            json.field("person", person)
            json.field("title", title)
            json.field("since", since)
            switch address {
            case .webhook(let url, let secret):
                json.field("url", url)
                json.field("secret", BaseEncoding.base64.encode(secret))
            case .push(let subscription): subscription.write(fields: &json)
            }
        }
    }
}

/// A browser's subscription: where its push service takes messages, and the keys to encrypt them (RFC 8291).
struct PushSubscription: Sendable, Equatable {
    let endpoint: String
    /// The browser's public key: an uncompressed point of P-256.
    let publicKey: [UInt8]
    /// The secret that authenticates messages: 16 bytes.
    let secret: [UInt8]

    init(endpoint: String, publicKey: [UInt8], secret: [UInt8]) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Reads the members `endpoint`, `p256dh` and `auth`.
    init(json: borrowing JSONValue) throws(JSONError) {
        endpoint = try json.get("endpoint")
        publicKey = try Self.bytes("p256dh", json)
        secret = try Self.bytes("auth", json)
    }

    private static func bytes(_ name: String, _ json: borrowing JSONValue) throws(JSONError) -> [UInt8] {
        let text: String = try json.get(name)
        // Browsers write base64url without padding; RFC 7515 allows no other.
        guard let bytes = BaseEncoding.base64url.decode(text) else {
            throw JSONError(message: "expected base64url without padding", path: name)
        }
        return bytes
    }

    func write(fields json: inout JSONWriter) {
        json.field("endpoint", endpoint)
        json.field("p256dh", BaseEncoding.base64url.encode(publicKey))
        json.field("auth", BaseEncoding.base64url.encode(secret))
    }
}
