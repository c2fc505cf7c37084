/// What a server needs for https: its certificate, its key and the issuing authority's certificate.
public struct ServerCertificate: Sendable {
    /// The server's certificate.
    public let certificate: Certificate
    /// The server's secret key.
    public let key: P256Key
    /// The certificate of the authority that signed it.
    public let authority: Certificate

    /// The end of the certificate's validity; seconds since 1970.
    public var expiry: Int64 { certificate.expiry }

    /// The server's certificate and the authority's, in the order in which TLS sends them.
    public var chainPEM: String { certificate.pem + authority.pem }

    /// Returns the secret key as PKCS#8 in PEM.
    public func keyPEM() throws(CryptoError) -> String {
        try key.pem()
    }
}
