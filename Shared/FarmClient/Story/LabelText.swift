import Crypto
import Vocabulary

/// What is printed on a box: a GS1 Digital Link whose path may carry a key's name and a signature,
/// `/S1<kid:4><signature: base32, 103>/01/<gtin:14>/10/<lot>[/21/<serial>]`, or the same without its first part.
struct LabelText: Equatable, Sendable {
    /// Nil where the address carries no signature.
    let signed: Signed?
    let gtin: GTIN
    let lot: String
    /// Of one box.
    let serial: String?
    /// Which server the address names, with its port; nil for a path.
    let host: Substring?

    /// Whose signature a label carries.
    struct Signed: Equatable, Sendable {
        let kid: String
        /// r ‖ s, 64 bytes.
        let signature: [UInt8]
    }

    /// Reads a whole address, or its path. Letters may have either case: some scanners change it.
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

    /// The text that the signature covers.
    func text(_ kid: String) -> String {
        "v1|https://id.gs1.org/01/\(gtin)/10/\(lot)\(serial.map { "/21/\($0)" } ?? "")|\(kid)"
    }

    /// Whether the farm made this label: its key is known, not revoked, and has signed exactly this address. False
    /// where there is no signature to check.
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
