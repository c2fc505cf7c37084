import Crypto
package import EventSourcing
import Vocabulary

/// The last version of each stream in the entries read so far. It takes 16 bytes for a stream, regardless of its name.
package struct StreamVersionCounter {
    private var versions: [UInt64: Int] = [:]

    package init() {}

    package mutating func add(_ stream: String, _ version: Int) {
        versions[Self.number(of: stream)] = version
    }

    /// Returns the first mismatch between stored stream rows and the counted versions; nil if they agree.
    ///
    /// - Parameters:
    ///   - head: the number of events in the journal, which is the sum of all versions.
    ///   - isPruned: whether events were pruned; then a stream's last events, or all of them, may be missing.
    package func flaw(ofStored rows: [(stream: String, version: Int)], head: Position, isPruned: Bool) -> String? {
        var (found, events) = (0, 0)
        for row in rows {
            let version = versions[Self.number(of: row.stream)]
            guard version != nil || isPruned else {
                return "stream \(row.stream) is stored, and there is no event of it"
            }
            guard row.version == version || isPruned && row.version >= version ?? 1 else {
                return "stream \(row.stream) is stored at version \(row.version), and its events reach \(version ?? 0)"
            }
            if version != nil { found += 1 }
            events &+= row.version
        }
        guard found == versions.count else { return "\(versions.count - found) streams with events are not stored" }
        return events == Int(clamping: head) ? nil : "the stored streams have \(events) events, and there are \(head)"
    }

    private static func number(of stream: String) -> UInt64 {
        SHA256.hash(Array(stream.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
