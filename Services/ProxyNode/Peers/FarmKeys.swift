import JSON
import Sharing
import System
import Vocabulary
import Wire

/// The keys by which farms sign their public responses, as each farm itself has said; kept in the home.
///
/// A node that was never connected to a farm has no key of it, and accepts nothing of it from other nodes.
struct FarmKeys {
    private let path: String
    private var keys: [String: [UInt8]] = [:]

    /// Reads the file. One that cannot be read counts as empty: the farms send their keys again.
    init(path: String) {
        self.path = path
        guard File.exists(path) else { return }
        do {
            let json = try JSONValue.parse(try File.read(path, limit: NodeLimits.settingsBytes))
            guard let members = json.object else { return }
            for (farm, value) in members { keys[farm] = PublisherKey.read(value) }
        } catch { return }
    }

    subscript(_ farm: String) -> [UInt8]? { keys[farm] }

    /// Returns the identifier of a farm's key, by which nodes recognise the farm under different addresses.
    func identifier(of farm: String) -> String? { keys[farm].map(ResponseSignature.identifier) }

    /// Takes the key that a farm has just sent. Returns whether it is another one than before; false for anything that
    /// is no key, such as the log-in page of a captive network.
    ///
    /// Throws if it cannot be stored; it then counts until the end of the process.
    mutating func take(_ body: [UInt8], of farm: String) throws(SystemError) -> Bool {
        guard let key = PublisherKey.read(body), keys[farm] != key else { return false }
        keys[farm] = key
        var json = JSONWriter()
        json.object { json in
            for (farm, key) in keys.sorted(by: { $0.key < $1.key }) {
                json.field(
                    farm,
                    object: { json in
                        json.member("kty", "OKP")
                        json.member("crv", "Ed25519")
                        json.member("x", BaseEncoding.base64url.encode(key))
                    })
            }
        }
        try File.writeAtomically(path, json.bytes, mode: 0o600)
        return true
    }
}
