/// What a server needs to speak https: its certificate, its key and who vouches for it.
public struct ServerCertificate: Sendable {
    /// The server's certificate.
    public let certificate: Certificate
    /// The server's secret key.
    public let key: P256Key
    /// The authority that signed the certificate.
    public let authority: Certificate

    /// Until when the certificate is valid; seconds since 1970.
    public var expiry: Int64 { certificate.expiry }

    /// The server's certificate and the authority's, in the order in which TLS sends them.
    public var chainPEM: String { certificate.pem + authority.pem }

    /// The secret key as PKCS#8 in PEM.
    public func keyPEM() throws(CryptoError) -> String {
        try key.pem()
    }
}
