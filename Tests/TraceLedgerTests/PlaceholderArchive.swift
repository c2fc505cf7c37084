import EventSourcing
import EventStore
import Events
import Vocabulary

@testable import TraceLedger

/// An archive of an in-memory journal, with placeholders for proofs.
final class PlaceholderArchive: Archive {
    private let log: MemoryLog
    /// Whether a checkpoint covers the journal.
    var isSigned = true

    init(_ log: MemoryLog) {
        self.log = log
    }

    /// The number of requests for a checkpoint at the next commit.
    private(set) var wanted = 0

    func signAtNextCommit() { wanted += 1 }

    let keys = CheckpointKeys(hub: "furrow/farm", vkey: "furrow/farm+00000000+AAAA", spki: [1, 2, 3])

    var hubPosition: Position { log.head.position + 1000 }

    func evidence(of event: UUID, since: UInt64?) throws(LogFailure) -> EventProof? {
        guard isSigned, let position = try log.reader().position(of: event),
            let entry = try log.reader().read(from: position, events: 1, bytes: 1).first
        else { return nil }
        return EventProof(
            entry: Array("{}".utf8), salt: [1], bytes: entry.bytes, index: position - 1, size: position, proof: [],
            checkpoint: "checkpoint", consistency: since == nil ? nil : [])
    }

    func checkpoint() throws(LogFailure) -> String? {
        isSigned ? "checkpoint" : nil
    }

    func checkpoints(after size: UInt64) throws(LogFailure) -> [(size: UInt64, note: String)] {
        isSigned && size < log.head.position ? [(log.head.position, "checkpoint")] : []
    }

    func tile(level: Int, index: UInt64, width: Int) throws(LogFailure) -> [UInt8]? {
        level == 0 && index == 0 ? Array(repeating: 0, count: 32 * width) : nil
    }

    func entries(from first: Position, count: Int) throws(LogFailure) -> [[UInt8]] {
        try log.reader().read(from: first, events: count, bytes: .max).map { Array("\($0.position)".utf8) }
    }
}
