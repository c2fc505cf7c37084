import Crypto
import Host

/// The names and addresses under which browsers may reach this server. Its certificate has to carry all of them.
struct CertificateNames: Equatable, Sendable {
    private(set) var names = ["localhost"]
    private(set) var addresses = ["127.0.0.1", "::1"]
    /// The machine's own host name, if no setting names it: a container has another one after each update.
    private(set) var machine: String?

    /// - Parameters:
    ///   - hostName: the machine's host name; it is left out if it is no valid DNS name.
    ///   - publicURL: `FURROW_PUBLIC_URL`; its host is added if a certificate can carry it.
    ///   - more: `FURROW_TLS_NAMES`, names and addresses separated by commas.
    init(hostName: String, publicURL: String? = nil, more: String? = nil) throws(SettingError) {
        let host = hostName.lowercased()
        if LocalAuthority.isName(host), host != "localhost" {
            add(host)
            machine = host
            add("\(host.prefix { $0 != "." }).local")
        }
        if let host = publicURL.flatMap(Self.host) { require(host) }
        for name in more?.split(separator: ",") ?? [] {
            let words = name.split(separator: " ")
            guard words.count == 1, require(String(words[0])) else {
                throw SettingError(name: "FURROW_TLS_NAMES", reason: "holds \(name), which is no name and no address")
            }
        }
        guard names.count + addresses.count <= CryptoLimits.certificateNames else {
            throw SettingError(
                name: "FURROW_TLS_NAMES",
                reason: "holds more names than the \(CryptoLimits.certificateNames) of one certificate")
        }
    }

    /// The same without the machine's own host name.
    var withoutMachine: CertificateNames {
        var copy = self
        copy.names.removeAll { $0 == machine }
        copy.machine = nil
        return copy
    }

    /// Adds a name or an address unless it is there already. Returns false if the text is neither.
    @discardableResult
    private mutating func add(_ text: String) -> Bool {
        let text = text.lowercased()
        if LocalAuthority.isAddress(text) {
            if !addresses.contains(text) { addresses.append(text) }
            return true
        }
        guard LocalAuthority.isName(text) else { return false }
        if !names.contains(text) { names.append(text) }
        return true
    }

    /// Adds a name that the operator set.
    @discardableResult
    private mutating func require(_ text: String) -> Bool {
        if machine == text.lowercased() { machine = nil }
        return add(text)
    }

    /// Returns the host of a URL: `farm.example` for `https://farm.example:8443/x`, `fd00::1` for `https://[fd00::1]`.
    static func host(of url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        let host = place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }
}
