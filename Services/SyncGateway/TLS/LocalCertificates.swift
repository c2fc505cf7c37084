import Crypto
import EventSourcing
import EventStore
import HTTP
import JSON
import Vault

/// The farm's own certificate authority and the server certificate it signed. Both are stored in the vault because
/// their keys are secret.
struct LocalCertificates {
    private static let kind = "certificate"

    /// A certificate and its key as stored in the vault.
    private struct Kept: JSONReadable, JSONWritable {
        let certificate: String
        let key: String
        /// The names and addresses it was requested for; empty for the authority.
        let names: [String]

        init(certificate: String, key: String, names: [String] = []) {
            self.certificate = certificate
            self.key = key
            self.names = names
        }

        init(json: borrowing JSONValue) throws(JSONError) {
            certificate = try json.get("certificate")
            key = try json.get("key")
            names = try json.get("names")
        }

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("certificate", certificate)
                json.field("key", key)
                json.field("names", names)
            }
        }
    }

    private let vault: Vault
    /// Seconds since 1970.
    private let now: Int64

    init(_ vault: Vault, at now: Int64) {
        self.vault = vault
        self.now = now
    }

    /// Returns the stored authority, or creates and stores one that is valid for ten years.
    ///
    /// An authority can certify only private names and those that the farm had at its creation. So a new public name
    /// needs a new authority, which people install again.
    ///
    /// - Parameters:
    ///   - title: the name that a telephone shows when the certificate is installed.
    ///   - names: what the farm's certificate has to carry.
    func authority(title: String, for names: CertificateNames) throws(VaultError) -> LocalAuthority {
        if let kept = try find("authority") {
            let authority = try unlocked { () throws(CryptoError) in
                try LocalAuthority(certificatePEM: kept.certificate, keyPEM: kept.key)
            }
            if authority.certificate.life.lasts(at: now), try isPermitted(names.withoutMachine, by: authority) {
                return authority
            }
        }
        return try making { () throws(CryptoError) in
            let authority = try LocalAuthority.create(
                name: String(title.prefix(64)), now: now, names: names.names, addresses: names.addresses)
            return (authority, "authority", Kept(certificate: authority.certificate.pem, key: try authority.key.pem()))
        }
    }

    private func isPermitted(_ names: CertificateNames, by authority: LocalAuthority) throws(VaultError) -> Bool {
        try unlocked { () throws(CryptoError) in
            // With a clock in the past, the certificate would not be valid; its names are what counts here.
            let time = max(now, authority.certificate.notBefore)
            return try authority.permits(names: names.names, addresses: names.addresses, now: time)
        }
    }

    /// Returns the server's identity for these names. The stored certificate is reused while it is valid and signed by
    /// this authority; otherwise a new one is issued.
    func identity(for all: CertificateNames, by authority: LocalAuthority) throws(VaultError) -> TLSIdentity {
        let names = try isPermitted(all, by: authority) ? all : all.withoutMachine
        let wanted = names.names + names.addresses
        if let kept = try find("server"), kept.names == wanted {
            let certificate = try unlocked { () throws(CryptoError) in try Certificate(pem: kept.certificate) }
            if certificate.life.serves(at: now), certificate.isSigned(by: authority.certificate) {
                return TLSIdentity(certificatePEM: kept.certificate, keyPEM: kept.key)
            }
        }
        return try making { () throws(CryptoError) in
            let server = try authority.issue(names: names.names, addresses: names.addresses, now: now)
            let kept = Kept(certificate: server.chainPEM, key: try server.keyPEM(), names: wanted)
            return (TLSIdentity(certificatePEM: kept.certificate, keyPEM: kept.key), "server", kept)
        }
    }

    private func find(_ id: String) throws(VaultError) -> Kept? {
        guard let fields = try vault.get(kind: Self.kind, id: id) else { return nil }
        do throws(JSONError) {
            return try Kept(json: JSONValue.parse(fields))
        } catch {
            throw .unreadable
        }
    }

    private func unlocked<Value>(_ read: () throws(CryptoError) -> Value) throws(VaultError) -> Value {
        do throws(CryptoError) { return try read() } catch { throw .unreadable }
    }

    /// Creates a certificate and stores it in the vault before returning it.
    private func making<Value>(
        _ make: () throws(CryptoError) -> (Value, id: String, Kept)
    ) throws(VaultError) -> Value {
        let (value, id, kept): (Value, String, Kept)
        do throws(CryptoError) {
            (value, id, kept) = try make()
        } catch {
            throw .failed(LogFailure(operation: "make a certificate", message: error.reason))
        }
        var json = JSONWriter()
        kept.write(to: &json)
        try vault.put(kind: Self.kind, id: id, fields: json.bytes)
        return value
    }
}

extension Certificate {
    var life: CertificateLife { CertificateLife(begins: notBefore, ends: expiry) }
}
