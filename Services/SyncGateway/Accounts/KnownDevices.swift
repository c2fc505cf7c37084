import Crypto
import EventStore
import Vault
import Vocabulary
import Wire

/// Makes and verifies the cookie that marks a device as known to an account. Nothing is stored per device: the cookie
/// is a random name and an HMAC of that name, the person and the person's password hash. It becomes invalid with a new
/// password, the erased account or a new vault secret.
struct KnownDevices {
    private static let secret = (kind: "secret", id: "known-devices")

    private let vault: Vault

    init(_ vault: Vault) {
        self.vault = vault
    }

    /// Returns the value of a new cookie. The HMAC secret is derived from `entropy` if there is none yet.
    func make(for account: Account, entropy: [UInt8]) throws(VaultError) -> String {
        if try vault.get(kind: Self.secret.kind, id: Self.secret.id) == nil {
            let made = SHA256.hash(Array("known devices".utf8), entropy)
            try vault.put(kind: Self.secret.kind, id: Self.secret.id, fields: made)
        }
        let device = BaseEncoding.base64url.encode(Array(SHA256.hash(Array("device".utf8), entropy).prefix(16)))
        return try "\(device).\(code(device, account))"
    }

    /// Returns the device's name if the cookie was made for this account and its current password, else nil.
    func name(in cookie: String, for account: Account) throws(VaultError) -> String? {
        let halves = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard halves.count == 2, try vault.get(kind: Self.secret.kind, id: Self.secret.id) != nil else { return nil }
        let expected = try code(String(halves[0]), account)
        return constantTimeEqual(Array(halves[1].utf8), Array(expected.utf8)) ? String(halves[0]) : nil
    }

    private func code(_ device: String, _ account: Account) throws(VaultError) -> String {
        let key = try vault.get(kind: Self.secret.kind, id: Self.secret.id) ?? []
        let message = "\(device)|\(account.person)|\(account.hash)"
        return BaseEncoding.base64url.encode(HMACSHA256.code(key: key, message: Array(message.utf8)))
    }
}
