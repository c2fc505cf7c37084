import Crypto
import JSON
import Vocabulary
import Wire

/// The farm's public keys, which a device trusts on its first visit and stores.
///
/// A later response may add label keys and revoke them; it may not change earlier ones.
struct HubKeys: Equatable, Sendable {
    /// The name of the log.
    let hub: String
    let checkpointKeys: [NoteKey]
    /// The label keys by their key id.
    private(set) var labelKeys: [String: LabelKey]

    /// A key that signs labels.
    struct LabelKey: Equatable, Sendable {
        /// The uncompressed point, 65 bytes.
        let publicKey: [UInt8]
        /// The reason of its revocation; nil if it is valid.
        var revoked: String?
    }

    /// Reads the response of `/ledger/keys`, and the format of `json`.
    init(_ json: JSONValue) throws(VerificationFailure) {
        do throws(JSONError) {
            hub = try json.get("hub")
            var checkpointKeys: [NoteKey] = []
            for key in try json.get("checkpointKeys", as: [JSONValue].self) {
                let name: String = try key.get("name")
                switch try key.get("type", as: String.self) {
                case "p256":
                    guard let bytes = BaseEncoding.base64.decode(try key.get("spki")),
                        let key = NoteKey(name: name, kind: .ecdsa, publicKey: bytes)
                    else { throw key.error("expected a P-256 key") }
                    checkpointKeys.append(key)
                case "ed25519":
                    guard let key = NoteKey(vkey: try key.get("vkey")), key.name == name else {
                        throw key.error("expected an Ed25519 key")
                    }
                    checkpointKeys.append(key)
                // An unknown kind, newer than this build, is ignored.
                default: continue
                }
            }
            self.checkpointKeys = checkpointKeys
            labelKeys = [:]
            for key in try json.get("labelKeys", as: [JSONValue].self) {
                let kid: String = try key.get("kid")
                guard let point = BaseEncoding.base64url.decode(try key.get("publicKey")),
                    point.count == P256Key.publicKeySize, labelKeys[kid] == nil
                else { throw key.error("expected a P-256 key under a name of its own") }
                let revoked = try key.find("revoked", as: JSONValue.self)
                labelKeys[kid] = LabelKey(
                    publicKey: point, revoked: try revoked?.find("reason") ?? (revoked.map { _ in "" }))
            }
        } catch {
            throw .keysMalformed
        }
        guard !hub.isEmpty, !checkpointKeys.isEmpty else { throw .keysMalformed }
    }

    /// Returns the keys after another response: the stored keys, new label keys, and every revocation ever seen.
    ///
    /// Throws `keysChanged` if the response contradicts the stored keys.
    func merged(_ answered: HubKeys) throws(VerificationFailure) -> HubKeys {
        guard hub == answered.hub, checkpointKeys.count == answered.checkpointKeys.count,
            checkpointKeys.allSatisfy(answered.checkpointKeys.contains),
            labelKeys.allSatisfy({ answered.labelKeys[$0.key]?.publicKey == $0.value.publicKey })
        else { throw .keysChanged }
        var ring = answered
        for (kid, key) in labelKeys { if let reason = key.revoked { ring.labelKeys[kid]?.revoked = reason } }
        return ring
    }

    /// Returns these keys with all additions and revocations of `other`, as agreed on by a concurrent visit.
    func joined(_ other: HubKeys) -> HubKeys {
        do throws(VerificationFailure) {
            return try merged(other)
        } catch {
            return self
        }
    }

    var json: String {
        written { json in
            json.field("hub", hub)
            json.field(
                "checkpointKeys",
                array: { json in
                    for key in checkpointKeys {
                        json.element(object: { json in
                            json.field("type", key.kind == .ecdsa ? "p256" : "ed25519")
                            json.field("name", key.name)
                            if key.kind == .ecdsa {
                                json.field("spki", BaseEncoding.base64.encode(key.publicKey))
                            } else {
                                json.field("vkey", key.vkey)
                            }
                        })
                    }
                })
            json.field(
                "labelKeys",
                array: { json in
                    for (kid, key) in labelKeys.sorted(by: { $0.key < $1.key }) {
                        json.element(object: { json in
                            json.field("kid", kid)
                            json.field("publicKey", BaseEncoding.base64url.encode(key.publicKey))
                            guard let reason = key.revoked else { return }
                            json.field("revoked", object: { $0.field("reason", reason) })
                        })
                    }
                })
        }
    }
}
