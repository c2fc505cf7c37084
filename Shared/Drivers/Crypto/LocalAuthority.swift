import COpenSSL

/// A farm's own certificate authority: https on a LAN, where no public authority can certify the names.
///
/// Staff install its certificate once; it is valid for ten years. Servers get certificates of at most 397 days, each
/// with a new key. The caller passes the time. Profile: RFC 5280, P-256, SHA-256.
public struct LocalAuthority: Sendable {
    /// The certificate that staff install.
    public let certificate: Certificate
    /// The signing key; the caller stores it in the vault.
    public let key: P256Key

    /// Reads an authority from PEM; throws if the key does not match the certificate.
    public init(certificatePEM: String, keyPEM: String) throws(CryptoError) {
        certificate = try Certificate(pem: certificatePEM)
        key = try P256Key(pem: keyPEM)
        let handle = try CertificateHandle.reading(certificate.der)
        guard unsafe X509_check_private_key(handle.pointer, key.handle.pointer) == 1 else {
            ERR_clear_error()
            throw CryptoError(operation: "local authority", reason: "the key is not the certificate's")
        }
        guard unsafe X509_check_ca(handle.pointer) == 1 else {
            throw CryptoError(operation: "local authority", reason: "the certificate is no authority's")
        }
    }

    private init(certificate: Certificate, key: P256Key) {
        self.certificate = certificate
        self.key = key
    }

    /// Returns a new authority with a new key, valid for ten years from an hour before `now` (seconds since 1970).
    ///
    /// It can certify private names and addresses, and the given ones, but none else (name constraints).
    ///
    /// - Parameters:
    ///   - name: what a telephone shows when the certificate is installed; 1 to 64 characters.
    ///   - names: DNS names besides private ones; each permits the names below it, too.
    ///   - addresses: numeric addresses besides private ones.
    public static func create(
        name: String, now: Int64, names: [String] = [], addresses: [String] = []
    ) throws(CryptoError) -> LocalAuthority {
        guard names.allSatisfy(isName), addresses.allSatisfy(isAddress) else {
            throw CryptoError(operation: "local authority", reason: "not a name or an address")
        }
        let key = P256Key.generate()
        let draft = try CertificateDraft(operation: "local authority")
        try draft.setSerial()
        try draft.setValidity(from: now - clockSlack, to: now + Int64(CryptoLimits.authorityDays) * secondsPerDay)
        try draft.setSubject(name)
        try draft.setIssuer(sameAs: draft)
        try draft.setPublicKey(of: key)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: draft)
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: draft)
        let permitted = PermittedNames(names: names, addresses: addresses)
        try draft.add(NID_name_constraints, permitted.text, issuer: draft)
        try draft.add(NID_subject_key_identifier, "hash", issuer: draft)
        return LocalAuthority(certificate: try draft.sign(with: key), key: key)
    }

    /// Returns whether this authority can certify these names and addresses. One of an earlier version can certify all.
    ///
    /// It issues a certificate and lets OpenSSL compare it with the constraints: the rule that clients apply, too.
    public func permits(names: [String], addresses: [String], now: Int64) throws(CryptoError) -> Bool {
        let server = try issue(names: names, addresses: addresses, now: now)
        return try CertificateDraft(of: certificate, operation: "local authority").permitsNames(of: server.certificate)
    }

    /// Returns a certificate and a new key for a server with these DNS names and addresses.
    ///
    /// `now` is seconds since 1970. The certificate is valid from an hour before it, for `days` (1 to 397) in all, and
    /// never longer than the authority itself. Names may begin with `*.`. Throws for anything that is not a plain DNS
    /// name or a numeric address.
    ///
    /// - Parameter isClient: whether the server calls others of its kind, and proves itself to them with it.
    public func issue(
        names: [String], addresses: [String], now: Int64, days: Int = CryptoLimits.leafDays, isClient: Bool = false
    ) throws(CryptoError) -> ServerCertificate {
        let operation = "server certificate"
        let subjects = try Self.subjects(names: names, addresses: addresses, operation)
        guard (1...CryptoLimits.leafDays).contains(days) else {
            throw CryptoError(operation: operation, reason: "the validity is 1 to \(CryptoLimits.leafDays) days")
        }
        let start = now - Self.clockSlack
        let end = min(start + Int64(days) * Self.secondsPerDay, certificate.expiry)
        guard end > now else { throw CryptoError(operation: operation, reason: "the authority has expired") }
        let serverKey = P256Key.generate()
        let draft = try CertificateDraft(operation: operation)
        let issuer = try CertificateDraft(of: certificate, operation: operation)
        try draft.setSerial()
        try draft.setValidity(from: start, to: end)
        // Without a DNS name, a common name that looks like one would be checked against the constraints.
        try draft.setSubject(String((names.first ?? "Farm server").prefix(64)))
        try draft.setIssuer(sameAs: issuer)
        try draft.setPublicKey(of: serverKey)
        try draft.add(NID_basic_constraints, "critical,CA:FALSE", issuer: issuer)
        try draft.add(NID_key_usage, "critical,digitalSignature", issuer: issuer)
        try draft.add(NID_ext_key_usage, isClient ? "serverAuth,clientAuth" : "serverAuth", issuer: issuer)
        try draft.add(NID_subject_alt_name, subjects, issuer: issuer)
        try draft.add(NID_subject_key_identifier, "hash", issuer: issuer)
        try draft.add(NID_authority_key_identifier, "keyid:always", issuer: issuer)
        return ServerCertificate(certificate: try draft.sign(with: key), key: serverKey, authority: certificate)
    }

    /// How far a telephone's clock may be behind the server's; seconds.
    private static let clockSlack: Int64 = 3_600
    private static let secondsPerDay: Int64 = 86_400

    /// Returns the subjectAltName in OpenSSL's notation.
    ///
    /// Commas and colons would start new entries there, so only characters of plain names and addresses pass.
    private static func subjects(
        names: [String], addresses: [String], _ operation: String
    ) throws(CryptoError) -> String {
        guard (1...CryptoLimits.certificateNames).contains(names.count + addresses.count) else {
            throw CryptoError(operation: operation, reason: "1 to \(CryptoLimits.certificateNames) names and addresses")
        }
        guard names.allSatisfy(isName) else { throw CryptoError(operation: operation, reason: "not a DNS name") }
        guard addresses.allSatisfy(isAddress) else { throw CryptoError(operation: operation, reason: "not an address") }
        return (names.map { "DNS:" + $0 } + addresses.map { "IP:" + $0 }).joined(separator: ",")
    }

    /// Returns whether a certificate may contain this DNS name.
    ///
    /// Labels of 1 to 63 letters, digits and inner hyphens (RFC 1123), the first of which may be `*`.
    public static func isName(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253 else { return false }
        return labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 2, Array(label) == [UInt8(ascii: "*")] { return true }
            let hyphen = UInt8(ascii: "-")
            guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else { return false }
            return label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen: true
                default: false
                }
            }
        }
    }

    /// Returns whether the text is a numeric IPv4 or IPv6 address that OpenSSL accepts.
    public static func isAddress(_ address: String) -> Bool {
        let plain = address.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"): true
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
            default: false
            }
        }
        guard plain, let octets = unsafe a2i_IPADDRESS(address) else {
            ERR_clear_error()
            return false
        }
        unsafe ASN1_OCTET_STRING_free(octets)
        return true
    }
}
