import Crypto
import EventStore
import JSON
import Vault
import Vocabulary

/// A box in a barn that forwards radio adverts. Its token allows that and nothing else.
struct RadioGateway: Sendable, Equatable, JSONReadable, JSONWritable {
    let name: String
    let title: String
    /// SHA-256 of the token, in hex.
    let fingerprint: String
    let since: Instant
    /// The time since which its token is invalid; nil while it is in use.
    var dismissed: Instant?
    /// The time of its last post, at most `GatewayLimits.contactSeconds` old; nil before the first one.
    var lastSeen: Instant?

    init(name: String, title: String, fingerprint: String, since: Instant) {
        self.name = name
        self.title = title
        self.fingerprint = fingerprint
        self.since = since
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        name = try json.get("gateway")
        title = try json.get("title")
        fingerprint = try json.get("fingerprint")
        since = try json.get("since")
        dismissed = try json.find("dismissed")
        lastSeen = try json.find("lastSeen")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            write(fields: &json)
            json.field("fingerprint", fingerprint)
            json.field("lastSeen", ifPresent: lastSeen)
        }
    }

    /// Writes the fields that administrators see.
    func write(fields json: inout JSONWriter) {
        json.field("gateway", name)
        json.field("title", title)
        json.field("since", since)
        json.field("dismissed", ifPresent: dismissed)
    }
}

/// The radio gateways that may send adverts. They are stored in the vault only, never in the journal.
struct RadioGateways {
    private static let kind = "gateway"
    /// The secret that tokens are derived from. A repeated request gets the same token although only its hash is
    /// stored.
    private static let secret = (kind: "secret", id: "gateway-tokens")

    private let vault: Vault

    init(_ vault: Vault) {
        self.vault = vault
    }

    /// Returns the token for this request. The secret is derived from `entropy` if there is none yet.
    func token(for request: String, entropy: [UInt8]) throws(VaultError) -> String {
        var key = try vault.get(kind: Self.secret.kind, id: Self.secret.id)
        if key == nil {
            let made = SHA256.hash(Array("gateway tokens".utf8), entropy)
            try vault.put(kind: Self.secret.kind, id: Self.secret.id, fields: made)
            key = made
        }
        return BaseEncoding.base64url.encode(HMACSHA256.code(key: key ?? [], message: Array(request.utf8)))
    }

    func gateway(named name: String) throws(VaultError) -> RadioGateway? {
        try vault.get(kind: Self.kind, id: name).map(read)
    }

    /// Returns the gateway with this token, or nil if the token is unknown or its gateway was dismissed.
    func gateway(with token: String) throws(VaultError) -> RadioGateway? {
        guard let record = try vault.find(kind: Self.kind, lookUp: Accounts.fingerprint(token)) else { return nil }
        let gateway = try read(record.fields)
        return gateway.dismissed == nil ? gateway : nil
    }

    /// Returns the gateways after the name `after`, ordered by name.
    func all(after: String = "") throws(VaultError) -> [RadioGateway] {
        try vault.all(kind: Self.kind, after: after).map { record throws(VaultError) in try read(record.fields) }
    }

    func keep(_ gateway: RadioGateway) throws(VaultError) {
        var json = JSONWriter()
        gateway.write(to: &json)
        try vault.put(kind: Self.kind, id: gateway.name, fields: json.bytes, lookUp: gateway.fingerprint)
    }

    private func read(_ fields: [UInt8]) throws(VaultError) -> RadioGateway {
        do throws(JSONError) {
            return try RadioGateway(json: JSONValue.parse(fields))
        } catch {
            throw .unreadable
        }
    }
}
