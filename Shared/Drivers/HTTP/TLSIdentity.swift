/// The identity of a server: its certificate chain and private key in PEM, the key unencrypted.
public struct TLSIdentity: Sendable {
    /// The certificate chain, the server's own first.
    public let certificatePEM: String
    /// The private key; unencrypted.
    public let keyPEM: String

    /// Creates an identity; the server checks it when it starts.
    public init(certificatePEM: String, keyPEM: String) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }
}
