import Crypto
package import System
import Vocabulary

/// The identifier of a node: random, and the same after a restart. It says nothing about the machine.
package enum NodeIdentity {
    /// Returns the identifier of the node with this home; creates it if there is none.
    package static func read(in home: String) throws(SystemError) -> String {
        let path = home + "/node-id"
        if File.exists(path) {
            let text = String(decoding: try File.read(path, limit: 64), as: UTF8.self).filter { !$0.isWhitespace }
            if !text.isEmpty { return text }
        }
        let made = Hex.encode(Random.bytes(8))
        try File.writeAtomically(path, Array(made.utf8) + [10], mode: 0o600)
        return made
    }
}
