import Crypto
import EventStore
import Events
import JSON
import Vault
import Vocabulary

/// The webhooks, push subscriptions and the farm's push key, in the vault. Events name channels by their ids only.
struct Channels {
    private static let pushKey = (kind: "secret", id: "web-push")

    private let vault: Vault
    /// The key that identifies the farm to push services (RFC 8292).
    let key: P256Key

    /// Creates the farm's push key if the vault has none.
    init(_ vault: Vault) throws {
        self.vault = vault
        if let scalar = try vault.get(kind: Self.pushKey.kind, id: Self.pushKey.id) {
            key = try P256Key(scalar: scalar)
        } else {
            key = P256Key.generate()
            try vault.put(kind: Self.pushKey.kind, id: Self.pushKey.id, fields: key.scalar)
        }
    }

    func channel(_ id: UUID) throws(VaultError) -> Channel? {
        for kind in ChannelKind.allCases {
            if let fields = try vault.get(kind: kind.rawValue, id: id.description) { return try read(fields) }
        }
        return nil
    }

    /// Returns all channels of a kind.
    func all(_ kind: ChannelKind) throws(VaultError) -> [Channel] {
        var all: [Channel] = []
        while true {
            let page = try vault.all(kind: kind.rawValue, after: all.last?.id.description ?? "")
            guard !page.isEmpty else { return all }
            for record in page { all.append(try read(record.fields)) }
        }
    }

    func all(of person: PersonID) throws(VaultError) -> [Channel] {
        var own: [Channel] = []
        for kind in ChannelKind.allCases {
            for record in try vault.all(kind: kind.rawValue, of: person) { own.append(try read(record.fields)) }
        }
        return own
    }

    /// Returns the channel of a push service's endpoint.
    func channel(endpoint: String) throws(VaultError) -> Channel? {
        let record = try vault.find(kind: ChannelKind.push.rawValue, lookUp: Accounts.fingerprint(endpoint))
        return try record.map { record throws(VaultError) in try read(record.fields) }
    }

    func keep(_ channel: Channel) throws(VaultError) {
        var json = JSONWriter()
        channel.write(to: &json)
        var lookUp: String?
        if case .push(let subscription) = channel.address { lookUp = Accounts.fingerprint(subscription.endpoint) }
        try vault.put(
            kind: channel.kind.rawValue, id: channel.id.description, fields: json.bytes, lookUp: lookUp,
            person: channel.person)
    }

    func drop(_ channel: Channel) throws(VaultError) {
        try vault.delete(kind: channel.kind.rawValue, id: channel.id.description)
    }

    private func read(_ fields: [UInt8]) throws(VaultError) -> Channel {
        do throws(JSONError) {
            return try Channel(json: JSONValue.parse(fields))
        } catch {
            throw .unreadable
        }
    }
}
