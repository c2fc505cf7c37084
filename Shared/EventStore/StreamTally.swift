import Crypto
import Vocabulary

/// The last version of each stream that a walk through a journal has met: 16 bytes for a stream, whatever its name.
struct StreamTally {
    private var versions: [UInt64: Int] = [:]

    mutating func add(_ stream: String, _ version: Int) {
        versions[Self.number(of: stream)] = version
    }

    /// What is wrong with the rows that a store keeps of streams.
    ///
    /// - Parameter letGo: whether events were let go: then a stream may be kept of which none is left.
    func flaw(ofKept rows: [(stream: String, version: Int)], letGo: Bool) -> String? {
        var found = 0
        for row in rows {
            guard let version = versions[Self.number(of: row.stream)] else {
                guard letGo else { return "stream \(row.stream) is kept, and there is no event of it" }
                continue
            }
            found += 1
            guard version == row.version else {
                return "stream \(row.stream) is kept at version \(row.version), and its events reach \(version)"
            }
        }
        return found == versions.count ? nil : "\(versions.count - found) streams are not kept that have events"
    }

    private static func number(of stream: String) -> UInt64 {
        SHA256.hash(Array(stream.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
