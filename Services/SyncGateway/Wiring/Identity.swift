import Crypto
import EventStore
import HTTP
import Host
import System
import Telemetry
import Vault

/// Finds the gateway's TLS identity: the farm's own certificate if one is configured, else one of the local authority.
enum Identity {
    /// The file in the home folder with the authority's certificate, for people to install on their devices.
    static let authorityFile = "ca.pem"

    /// Returns the farm's own identity, or the one that the local authority issues for this machine's names.
    ///
    /// - Parameter now: seconds since 1970 by the machine's clock.
    static func find(_ settings: Settings, _ vault: Vault, at now: Int64) throws -> TLSIdentity {
        if let own = try own(settings, at: now) { return own }
        let names = try CertificateNames(
            hostName: Machine.hostName, publicURL: settings["PUBLIC_URL"], more: settings["TLS_NAMES"])
        let certificates = LocalCertificates(vault, at: now)
        let authority = try certificates.authority(
            title: "Furrow \(settings.site) \(Machine.hostName)", for: names)
        try show(authority.certificate, in: settings.home())
        return try certificates.identity(for: names, by: authority)
    }

    /// Returns the identity in the files of `FURROW_TLS_CERT` and `FURROW_TLS_KEY`, or nil if neither is set.
    private static func own(_ settings: Settings, at now: Int64) throws(SettingError) -> TLSIdentity? {
        guard settings["TLS_CERT"] != nil || settings["TLS_KEY"] != nil else { return nil }
        let chain = try text(of: "TLS_CERT", settings)
        let key = try text(of: "TLS_KEY", settings)
        let certificate: Certificate
        do throws(CryptoError) {
            certificate = try Certificate(pem: chain)
        } catch {
            throw SettingError(name: "FURROW_TLS_CERT", reason: "names a file that holds no certificate in PEM")
        }
        if !certificate.life.serves(at: now) {
            // It is served nevertheless: the farm works over plain HTTP until the operator renews it.
            Logger(service: SyncGateway.name).warning(
                "the certificate has less than 30 days left, or is not valid yet",
                ["certificate.days": "\((certificate.expiry - now) / 86_400)"])
        }
        return TLSIdentity(certificatePEM: chain, keyPEM: key)
    }

    private static func text(of name: String, _ settings: Settings) throws(SettingError) -> String {
        let path = try settings.required(name)
        do throws(SystemError) {
            return String(decoding: try File.read(path, limit: CryptoLimits.documentBytes), as: UTF8.self)
        } catch {
            throw SettingError(name: "FURROW_\(name)", reason: "cannot be read: \(error)")
        }
    }

    private static func show(_ certificate: Certificate, in home: String) throws(SystemError) {
        let path = "\(home)/\(authorityFile)"
        let bytes = Array(certificate.pem.utf8)
        if File.exists(path), try File.read(path, limit: CryptoLimits.documentBytes) == bytes { return }
        try File.writeAtomically(path, bytes, mode: 0o644)
    }
}
