import Crypto
import System
import Vocabulary

/// A temporary folder for one test, which is removed with this object.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/furrow-console-\(Hex.encode(Random.bytes(8)))"
        try Directory.create(path, mode: 0o700)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let folder = name.split(separator: "/").dropLast().joined(separator: "/")
        if !folder.isEmpty { try Directory.create(self(folder), mode: 0o700) }
        try File.writeAtomically(self(name), bytes, mode: 0o600)
    }

    deinit {
        do { try Directory.remove(path) } catch { print("\(path) stays: \(error)") }
    }
}
