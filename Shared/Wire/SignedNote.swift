public import Crypto
import Vocabulary

/// A text and its signatures (C2SP signed-note): the text, a blank line, one line for each signature.
public struct SignedNote: Sendable, Equatable {
    /// The maximum bytes of a note.
    public static let noteBytesMax = 65_536
    /// The maximum signatures of a note; the specification requires support for at least 16.
    public static let signaturesMax = 64
    /// The maximum bytes of a key's name.
    public static let nameBytesMax = 256

    /// One line below the text: `— <name> base64(id ‖ signature)`.
    public struct Signature: Sendable, Equatable {
        /// The name of the key.
        public let name: String
        /// The id of the key; 4 bytes.
        public let keyID: [UInt8]
        /// The signature.
        public let bytes: [UInt8]

        /// Creates a signature line.
        public init(name: String, keyID: [UInt8], bytes: [UInt8]) {
            self.name = name
            self.keyID = keyID
            self.bytes = bytes
        }
    }

    /// Why a note is rejected.
    public enum Refusal: Error, Equatable, Sendable {
        case malformed(String)
        /// A known key's signature does not match the text.
        case forged(name: String)
        /// None of the given keys has signed.
        case unsigned
    }

    /// The signed text; ends with a newline.
    public let text: String
    /// The signatures, in the order of their lines.
    public let signatures: [Signature]

    /// Parses a note; throws `malformed` unless every line is in its place.
    public init(_ note: String) throws(Refusal) {
        guard note.utf8.count <= Self.noteBytesMax else { throw .malformed("longer than \(Self.noteBytesMax) bytes") }
        let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
        guard !note.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A }) else { throw .malformed("a control character") }
        guard lines.count >= 4, lines.last == "", let blank = lines.dropLast().lastIndex(of: ""), blank > 0 else {
            throw .malformed("no blank line after a text")
        }
        text = lines[..<blank].map { $0 + "\n" }.joined()
        let rest = lines[(blank + 1)..<(lines.count - 1)]
        guard (1...Self.signaturesMax).contains(rest.count) else { throw .malformed("\(rest.count) signatures") }
        var signatures: [Signature] = []
        for line in rest { signatures.append(try Self.signature(line)) }
        self.signatures = signatures
    }

    /// Signs a text with each of the keys.
    ///
    /// Requires that the text ends with a newline and has no other control characters.
    public init(signing text: String, with signers: [NoteSigner]) throws(CryptoError) {
        precondition(text.hasSuffix("\n") && !text.utf8.contains { $0 < 0x20 && $0 != 0x0A }, "a note is lines of text")
        self.text = text
        var signatures: [Signature] = []
        for signer in signers { signatures.append(try signer.sign(Array(text.utf8))) }
        self.signatures = signatures
    }

    /// The note as it is published.
    public var note: String {
        let lines = signatures.map { signature in
            "— \(signature.name) \(BaseEncoding.base64.encode(signature.keyID + signature.bytes))\n"
        }
        return text + "\n" + lines.joined()
    }

    /// Returns the given keys that have signed, at least one; ignores signatures of unknown keys.
    ///
    /// Throws `forged` if a given key's signature is wrong, `unsigned` if none has signed.
    public func verified(by keys: [NoteKey]) throws(Refusal) -> [NoteKey] {
        let message = Array(text.utf8)
        var found: [NoteKey] = []
        for signature in signatures {
            guard let key = keys.first(where: { $0.name == signature.name && $0.id == signature.keyID }) else {
                continue
            }
            guard key.verifies(signature.bytes, over: message) else { throw .forged(name: key.name) }
            if !found.contains(key) { found.append(key) }
        }
        guard !found.isEmpty else { throw .unsigned }
        return found
    }

    private static func signature(_ line: Substring) throws(Refusal) -> Signature {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "—", NoteKey.isName(parts[1]),
            let bytes = BaseEncoding.base64.decode(String(parts[2])), bytes.count > 4
        else { throw .malformed("a line that is no signature") }
        return Signature(name: String(parts[1]), keyID: Array(bytes.prefix(4)), bytes: Array(bytes.dropFirst(4)))
    }
}
