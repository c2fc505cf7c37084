/// Who a server is: its certificate chain and the private key to it, both PEM, the key unencrypted.
public struct TLSIdentity: Sendable {
    public let certificatePEM: String
    public let keyPEM: String

    public init(certificatePEM: String, keyPEM: String) {
        self.certificatePEM = certificatePEM
        self.keyPEM = keyPEM
    }
}
