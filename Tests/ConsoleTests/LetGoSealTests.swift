import EventSourcing
import EventStore
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// A pruned segment is proven by a note of the same run, which an event of the journal contains.
@Suite("A sealed run with pruned events")
struct LetGoSealTests {
    private static let now = Instant(microseconds: 1_780_000_000_000_000)
    private let origin = Origin(service: "test", site: "farm", slot: 0)

    /// A journal with a sealed run of which every third event is pruned, and its segment from before.
    private struct Journal {
        let entries: [Entry]
        /// The entries before the prune.
        let whole: [Entry]
        let segment: String
        let before: [UInt8]
        let positions: [Position]

        init(in home: String) throws {
            let folder = "\(home)/test/0"
            try Directory.create(folder, mode: 0o700)
            let log = try SQLiteLog(directory: folder, feed: "test/farm-0", why: "test", at: LetGoSealTests.now)
            for number in 1...(StoreLimits.sealEvents + StoreLimits.entriesUnsealed) {
                let draft = Draft(Noted(number), in: "note/\(number % 7)", by: .service("test"))
                _ = try log.stage(Commit([draft]), at: LetGoSealTests.now)
            }
            try log.commit()
            let segments = SegmentDirectory(ofJournal: log.path)
            let due = try #require(try SealedRun.due(in: log))
            let run = try SealedRun.make(due, reading: SQLiteReader(path: log.path), in: segments)
            _ = try log.stage(Commit(run.drafts), at: LetGoSealTests.now)
            try log.hand(over: run)
            try log.commit()
            segment = "\(segments.path)/\(SegmentDirectory.name(of: due))"
            before = try File.read(segment, limit: 10 << 20)
            whole = try Self.read(log)
            let pruned = try PrunedRun.make(due, in: segments, keeping: []) { entry in
                entry.position.isMultiple(of: 3) ? LetGoSealTests.now : nil
            }
            _ = try log.stage(Commit(pruned.drafts), at: LetGoSealTests.now)
            try log.prune(pruned)
            try log.commit()
            while try log.dropSealed() {}
            entries = try Self.read(log)
            positions = entries.filter(\.isPruned).map(\.position)
        }

        private static func read(_ log: SQLiteLog) throws -> [Entry] {
            let reader = try log.reader()
            var entries: [Entry] = []
            while case let page = try reader.read(from: Position(entries.count) + 1, events: 512, bytes: .max),
                !page.isEmpty
            { entries += page }
            return entries
        }

        /// The entries with a changed `JournalPruned` event.
        func telling(_ change: (inout JournalPruned) -> Void) throws -> [Entry] {
            try entries.map { entry in
                guard !entry.isPruned, case let (envelope, data) = try EnvelopeCodec.read(entry.bytes),
                    envelope.name == JournalPruned.name
                else { return entry }
                var pruned = try JournalPruned(json: data)
                change(&pruned)
                return Entry(
                    position: entry.position, hash: entry.hash, bytes: EnvelopeCodec.write(envelope, pruned))
            }
        }

        /// The note of the run's seal.
        func seal() throws -> String? {
            for entry in entries where !entry.isPruned {
                let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
                if envelope.name == JournalSealed.name { return try JournalSealed(json: data).note }
            }
            return nil
        }
    }

    private func audit(_ entries: some Sequence<Entry>, in home: String) throws -> SealAudit {
        var audit = try SealAudit(of: origin, in: home)
        #expect(audit.damage.isEmpty)
        for entry in entries { _ = audit.add(entry) }
        return audit
    }

    @Test func `a pruned run is valid only with the note that its journal records`() throws {
        try withTemporaryDirectory { home in
            let journal = try Journal(in: home)
            #expect(journal.positions == Array(stride(from: 3, through: Position(StoreLimits.sealEvents), by: 3)))
            let sound = try audit(journal.entries, in: home)
            #expect(sound.flaw == nil && sound.count == 1 && !sound.isWaiting)
            #expect(sound.empty.count == journal.positions.count)

            // Before the prune event is read, the audit waits; at the end it reports the empty positions.
            let untold = try audit(journal.entries.dropLast(), in: home)
            #expect(untold.isWaiting && untold.flaw?.hasPrefix("position 3 of test/farm-0 is empty") == true)

            let seal = try #require(try journal.seal())
            let told: [(String, [Entry])] = [
                ("is not signed", try journal.telling { $0.note = nil }),
                ("of another run", try journal.telling { $0.note = seal }),
                (
                    "not what was signed",
                    try journal.telling { $0.note = $0.note?.replacing("test/farm-0", with: "test/farm-1") }
                ),
                (
                    "position 6 of test/farm-0 is empty",
                    try journal.telling { pruned in
                        pruned = JournalPruned(
                            first: pruned.first, last: pruned.last, positions: pruned.positions.filter { $0 != 6 },
                            note: pruned.note)
                    }
                ),
            ]
            for (words, entries) in told {
                let flaw = try audit(entries, in: home).flaw
                #expect(flaw?.contains(words) == true, "\(flaw ?? "nothing")")
            }
        }
    }

    @Test func `the unpruned segment of a pruned run is valid, and an unrecorded segment is not`() throws {
        try withTemporaryDirectory { home in
            let journal = try Journal(in: home)
            let after = try File.read(journal.segment, limit: 10 << 20)
            // As after a crash before the pruned file replaced the segment.
            try File.writeAtomically(journal.segment, journal.before, mode: 0o600)
            #expect(try audit(journal.entries, in: home).flaw == nil)
            try File.writeAtomically(journal.segment, after, mode: 0o600)
            let silent = try audit(journal.whole, in: home)
            let name = journal.segment.split(separator: "/").last ?? ""
            #expect(silent.isWaiting && silent.flaw == "segment \(name) is not the one that the journal sealed")
        }
    }
}
