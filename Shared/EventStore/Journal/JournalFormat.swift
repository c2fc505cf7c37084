package import EventSourcing
package import Vocabulary
import Wire

/// The format rules that all engines share, for a journal's first entry and for the checks when it is opened.
package enum JournalFormat {
    /// The version of the hub's tables that this build writes. A newer one is refused.
    package static let version = 2
    /// The version of a journal file that this build writes. A newer one is refused.
    package static let fileVersion = 4
    /// The version of a journal file that is a replica: an earlier build must not continue it.
    package static let replicaVersion = 5
    /// The stream of the events that a journal records about itself.
    package static let stream = "journal"

    /// Returns the commit with the first entry of an epoch.
    package static func beginning(
        previous: Epoch?, keptTo: Position, keptHash: [UInt8]?, why: String, of origin: Origin
    ) -> Commit {
        let event = EpochBegan(
            previous: previous, keptTo: keptTo, keptHash: keptHash.map { Hex.encode($0) }, why: why)
        return Commit([Draft(event, in: stream, by: .service(origin.service))])
    }

    /// Returns the origin that a feed name denotes. Throws if it denotes none.
    package static func origin(of feed: String) throws(LogFailure) -> Origin {
        guard let origin = Origin(feed) else {
            throw LogFailure(operation: "open", message: "\(feed) is not the name of an origin")
        }
        return origin
    }

    /// Throws if a stored format is newer than the one that this build supports.
    package static func checkVersion(_ found: Int64, knowing version: Int = version) throws(LogFailure) {
        guard found <= version else {
            throw LogFailure(
                operation: "open",
                message: "a newer Furrow wrote it (format \(found), this one knows \(version)): update this one",
                isAway: true)
        }
    }

    /// Verifies the last entries of a journal and returns the time at which the last one was recorded.
    ///
    /// Throws unless `entries` continue the chain from `hash` and the last envelope names its position, `origin` and
    /// `epoch`.
    package static func verify(
        _ entries: [Entry], after hash: [UInt8], at position: Position, origin: Origin, epoch: Epoch
    ) throws(LogFailure) -> Instant {
        if let broken = Chain.firstBreak(in: entries, after: hash, at: position) {
            throw LogFailure(operation: "open", message: "the chain is broken at \(broken)")
        }
        guard let last = entries.last else { throw LogFailure(operation: "open", message: "the journal is empty") }
        let envelope: Envelope
        do {
            envelope = try EnvelopeCodec.read(last.bytes).envelope
        } catch {
            throw LogFailure(operation: "open", message: "the last entry cannot be read: \(error)")
        }
        guard envelope.position == last.position, envelope.origin == origin, envelope.epoch == epoch else {
            throw LogFailure(operation: "open", message: "the last entry belongs to another place or journal")
        }
        return envelope.recorded
    }
}
