package import EventSourcing
package import Vocabulary
import Wire

/// What every engine writes into a new journal and checks in an old one.
package enum JournalFormat {
    /// The version of the hub's tables, and of a journal's file; a newer one is refused.
    package static let version = 2
    package static let fileVersion = 3
    /// The stream of what a journal tells about itself.
    package static let stream = "journal"

    /// The first entry of an epoch.
    package static func beginning(
        previous: Epoch?, keptTo: Position, keptHash: [UInt8]?, why: String, of origin: Origin
    ) -> Commit {
        let event = EpochBegan(
            previous: previous, keptTo: keptTo, keptHash: keptHash.map { Hex.encode($0) }, why: why)
        return Commit([Draft(event, in: stream, by: .service(origin.service))])
    }

    package static func origin(of feed: String) throws(LogFailure) -> Origin {
        guard let origin = Origin(feed) else {
            throw LogFailure(operation: "open", message: "\(feed) is not the name of an origin")
        }
        return origin
    }

    package static func checkVersion(_ found: Int64, knowing version: Int = version) throws(LogFailure) {
        guard found <= version else {
            throw LogFailure(
                operation: "open",
                message: "a newer Furrow wrote it (format \(found), this one knows \(version)): update this one",
                isAway: true)
        }
    }

    /// Verifies the end of a journal: that `entries` follow each other after `hash` and that the last one says it was
    /// written there, in this epoch. Gives when that was.
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
