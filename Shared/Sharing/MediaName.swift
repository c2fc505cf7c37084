import Crypto
import Vocabulary

/// Pictures are named by their SHA-256, so that a node stores none that is damaged or false.
package enum MediaName {
    /// Whether the address names a digest.
    package static func isNamed(_ target: String) -> Bool { target.hasPrefix("/media/") }

    /// Returns whether a body is what its address names; true for addresses that name no digest.
    package static func isRight(_ target: String, _ body: [UInt8]) -> Bool {
        guard isNamed(target) else { return true }
        let name = target.dropFirst("/media/".count).prefix { $0 != "?" }
        return Hex.encode(SHA256.hash(body)) == name
    }
}
