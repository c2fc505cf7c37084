import Crypto
import Vocabulary
import Wire

/// The signer of box labels: GS1 Digital Links whose path stem contains key id and signature.
public struct LabelPrinter: Sendable {
    public let kid: String
    public let publicKey: [UInt8]
    /// The public address on labels, without a trailing slash; nil if it is not configured.
    public let publicURL: String?
    private let sign: @Sendable ([UInt8]) throws -> [UInt8]

    /// - Parameter sign: Returns the raw ECDSA P-256 signature (64 bytes) over SHA-256 of its argument.
    public init(
        kid: String, publicKey: [UInt8], publicURL: String?, sign: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) {
        self.kid = kid
        self.publicKey = publicKey
        self.publicURL = publicURL.map { address in
            String(address.reversed().drop { $0 == "/" }.reversed())
        }
        self.sign = sign
    }

    static let noAddress = Problem(
        409, "public-url-unset",
        "Labels carry this server's public address, which it was not told: ask whoever runs it to set that "
            + "(FURROW_PUBLIC_URL).")

    /// Returns `<PUBLIC_URL>/S1<kid><signature>/01/{gtin}/10/{lot}[/21/{serial}]`, in upper case.
    ///
    /// Throws a `Problem` if the public address is not configured or the key cannot sign.
    func link(gtin: GTIN, lot: LotID, serial: String?) throws(Problem) -> String {
        guard let publicURL else { throw Self.noAddress }
        let path = "01/\(gtin)/10/\(lot)" + (serial.map { "/21/\($0)" } ?? "")
        let signature: [UInt8]
        do {
            signature = try sign(Array(Self.signed(path: path, kid: kid).utf8))
        } catch {
            throw Problem(500, "signing", "The label key cannot sign.")
        }
        return "\(publicURL)/S1\(kid)\(BaseEncoding.base32.encode(signature))/\(path)".uppercased()
    }

    /// Returns whether this key signed a label of the lot, given as the path of its link:
    /// `S1<kid><signature>/01/{gtin}/10/{lot}[/21/{serial}]`.
    func hasSigned(label: String, of lot: LotID) -> Bool {
        let parts = label.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0].hasPrefix("S1\(kid)"),
            let signature = BaseEncoding.base32.decode(String(parts[0].dropFirst(2 + kid.utf8.count)))
        else { return false }
        let names = parts[1].split(separator: "/")
        guard names.count >= 4, names[3] == lot.rawValue else { return false }
        let text = Array(Self.signed(path: String(parts[1]), kid: kid).utf8)
        return P256Key.verify(signature: signature, message: text, publicKey: publicKey)
    }

    /// Returns the text that the signature covers: the canonical Digital Link, independent of the label's server.
    static func signed(path: String, kid: String) -> String {
        "v1|https://id.gs1.org/\(path)|\(kid)"
    }
}
