import Crypto
import Vocabulary

/// The link on a box's label: a GS1 Digital Link whose path may include a key id and a signature.
///
/// Format: `/S1<kid:4><signature: base32, 103>/01/<gtin:14>/10/<lot>[/21/<serial>]`, or the same without its first
/// part.
struct LabelText: Equatable, Sendable {
    /// The signature; nil if the link has none.
    let signed: Signed?
    let gtin: GTIN
    let lot: String
    /// The serial number of one box; nil if the label is the lot's.
    let serial: String?
    /// The server in the link, with its port; nil for a path only.
    let host: Substring?

    /// The signature of a label and the id of its key.
    struct Signed: Equatable, Sendable {
        let kid: String
        /// The signature r ‖ s, 64 bytes.
        let signature: [UInt8]
    }

    /// Parses a link or its path; letters may have either case, because some scanners change it.
    init(_ link: String) throws(VerificationFailure) {
        var path = link.uppercased()[...]
        if let scheme = path.firstRange(of: "://") {
            path = path[scheme.upperBound...]
            host = path.prefix { $0 != "/" }
            path = path.drop { $0 != "/" }
        } else {
            host = nil
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if let first = parts.first, first.hasPrefix("S1") {
            parts.removeFirst()
            let (kid, code) = (first.dropFirst(2).prefix(4), first.dropFirst(6))
            guard kid.count == 4, kid.allSatisfy(Self.isLetter), code.utf8.count == 103,
                let signature = BaseEncoding.base32.decode(String(code)), signature.count == P256Signature.size
            else { throw .labelMalformed }
            signed = Signed(kid: String(kid), signature: signature)
        } else {
            signed = nil
        }
        guard parts.count == 4 || parts.count == 6, parts[0] == "01", parts[1].utf8.count == 14,
            let gtin = GTIN(String(parts[1])), parts[2] == "10", (1...20).contains(parts[3].utf8.count),
            parts[3].allSatisfy({ Self.isLetter($0) || $0 == "-" }), parts.count == 4 || parts[4] == "21"
        else { throw .labelMalformed }
        self.gtin = gtin
        lot = String(parts[3])
        serial = parts.count == 6 ? String(parts[5]) : nil
        guard serial.map({ (1...20).contains($0.utf8.count) && $0.allSatisfy(Self.isLetter) }) ?? true else {
            throw .labelMalformed
        }
    }

    /// Returns the signed text.
    func text(_ kid: String) -> String {
        "v1|https://id.gs1.org/01/\(gtin)/10/\(lot)\(serial.map { "/21/\($0)" } ?? "")|\(kid)"
    }

    /// Returns whether the farm has signed exactly this link with a known key; false if there is no signature.
    ///
    /// Throws if the key is unknown or revoked, or the signature is wrong.
    func verify(_ ring: HubKeys) throws(VerificationFailure) -> Bool {
        guard let signed else { return false }
        guard let key = ring.labelKeys[signed.kid] else { throw .labelKeyUnknown }
        guard key.revoked == nil else { throw .labelKeyRevoked }
        let message = Array(text(signed.kid).utf8)
        guard P256Key.verify(signature: signed.signature, message: message, publicKey: key.publicKey) else {
            throw .labelForged
        }
        return true
    }

    private static func isLetter(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isUppercase || letter.isNumber)
    }
}
