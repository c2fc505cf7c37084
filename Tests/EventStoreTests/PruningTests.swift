import EventSourcing
import Foundation
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

extension Sealed {
    /// Writes the pruned replacement of a sealed run, without every third of its notes.
    func pruned(_ run: ClosedRange<Position>) throws -> PrunedRun {
        try PrunedRun.make(run, in: folder, keeping: []) { (entry) throws(LogFailure) in
            Self.isOld(entry) ? Self.now : nil
        }
    }

    static func isOld(_ entry: Entry) -> Bool {
        entry.position.isMultiple(of: 3) && String(decoding: entry.bytes, as: UTF8.self).contains("note")
    }

    func prune(_ run: PrunedRun) throws {
        _ = try log.stage(Commit(run.drafts), at: Self.now)
        try log.prune(run)
        try log.commit()
    }

    /// Returns what a reader must return after `runs` were pruned, given the entries from before.
    static func left(of entries: [Entry], in runs: [ClosedRange<Position>]) -> [Entry] {
        entries.map { entry in
            guard runs.contains(where: { $0.contains(entry.position) }), isOld(entry) else { return entry }
            return Entry(position: entry.position, hash: entry.hash, bytes: [])
        }
    }
}

@Suite("Pruned journals")
struct PruningTests {
    private static let first: ClosedRange<Position> = 1...700
    private static let second: ClosedRange<Position> = 701...1400

    private func sealed(_ path: String) throws -> (Sealed, [Entry]) {
        let sealed = try Sealed(at: path)
        try sealed.append(0..<3_000)
        try sealed.sealAll()
        return (sealed, try entries(SQLiteReader(path: path)))
    }

    /// Returns all entries, after verifying the chain.
    private func entries(_ reader: SQLiteReader) throws -> [Entry] {
        let end = try reader.followChain().position
        var entries: [Entry] = []
        while entries.count < Int(end) {
            entries += try reader.read(
                from: Position(entries.count + 1), events: EventLimits.pageEvents, bytes: EventLimits.pageBytes)
        }
        return entries
    }

    @Test func `pruning preserves position, hash and id of a pruned event and all other events`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            let (sealed, whole) = try sealed(path)
            let reader = try SQLiteReader(path: path)
            // Opens the segment, which is then replaced.
            _ = try reader.read(from: 1, events: 1, bytes: 1)
            for run in [Self.first, Self.second] { try sealed.prune(try sealed.pruned(run)) }
            let left = Sealed.left(of: whole, in: [Self.first, Self.second])
            for reader in [reader, try SQLiteReader(path: path)] {
                let entries = try self.entries(reader)
                #expect(Array(entries.prefix(left.count)) == left)
                for entry in whole {
                    #expect(try reader.hash(at: entry.position) == entry.hash)
                    #expect(try reader.position(of: EnvelopeCodec.read(entry.bytes).envelope.id) == entry.position)
                }
            }
            let records = try entries(reader).suffix(2).map { entry in
                try JournalPruned(json: EnvelopeCodec.read(entry.bytes).data)
            }
            #expect(records.flatMap(\.positions) == left.filter(\.isPruned).map(\.position))
            for (run, record) in zip([Self.first, Self.second], records) {
                let segment = try Segment(path: sealed.folder.file(of: run))
                try segment.verify()
                #expect(segment.head.isPruned && segment.note == Array((record.note ?? "").utf8))
            }
            print("pruned: \(left.count { $0.isPruned }) of \(whole.count) events")
        }
    }

    private func size(_ sealed: Sealed, _ run: ClosedRange<Position>) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: sealed.folder.file(of: run))).count
    }

    /// The step before which the process dies.
    private enum Death: String, CaseIterable {
        case whileTheFileIsWritten, beforeItIsRecorded, beforeTheCommit, beforeTheSwap, beforeTheNextOne
    }

    /// F24: after any crash, only events that a committed `JournalPruned` names are pruned, and no other event is lost.
    @Test(arguments: Death.allCases)
    private func `a new process completes a prune that a crash interrupted`(death: Death) throws {
        try withTemporaryDirectory { folder in
            let (sealed, whole) = try sealed("\(folder)/journal.db")
            let place = sealed.folder.file(of: Self.second)
            let original = try Data(contentsOf: URL(fileURLWithPath: place))
            try walk(sealed, until: death)
            if death == .beforeTheSwap {
                try FileManager.default.moveItem(atPath: place, toPath: sealed.folder.prunedFile(of: Self.second))
                try original.write(to: URL(fileURLWithPath: place))
            }
            let isRecorded = [Death.beforeTheSwap, .beforeTheNextOne].contains(death)
            let copy = "\(folder)/after.db"
            try copyDatabase(sealed.path, to: copy)
            // A reader may open the journal before a writer has repaired it, as an audit of a stopped farm does.
            let left = Sealed.left(of: whole, in: isRecorded ? [Self.second] : [])
            #expect(try Array(entries(SQLiteReader(path: copy)).prefix(whole.count)) == left)
            let again = try Sealed(at: copy)
            #expect(try Array(entries(SQLiteReader(path: copy)).prefix(whole.count)) == left)
            #expect(!FileManager.default.fileExists(atPath: again.folder.prunedFile(of: Self.second)))
            if !isRecorded { try again.prune(try again.pruned(Self.second)) }
            let end = try entries(SQLiteReader(path: copy))
            #expect(Array(end.prefix(whole.count)) == Sealed.left(of: whole, in: [Self.second]))
            #expect(end.count == whole.count + 1)
        }
    }

    private func walk(_ sealed: Sealed, until death: Death) throws {
        if death == .whileTheFileIsWritten {
            let torn = "\(sealed.folder.prunedFile(of: Self.second)).1.2.new"
            return try Data("furrow-pruned/1\nte".utf8).write(to: URL(fileURLWithPath: torn))
        }
        let run = try sealed.pruned(Self.second)
        if death == .beforeItIsRecorded { return }
        _ = try sealed.log.stage(Commit(run.drafts), at: Sealed.now)
        try sealed.log.prune(run)
        if death == .beforeTheCommit { return }
        try sealed.log.commit()
    }

    @Test func `every flipped bit in a pruned segment is detected`() throws {
        try withTemporaryDirectory { folder in
            let (sealed, _) = try sealed("\(folder)/journal.db")
            try sealed.prune(try sealed.pruned(Self.first))
            let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sealed.folder.file(of: Self.first))))
            var found = 0
            for index in stride(from: 0, to: file.count, by: max(1, file.count / 500)) {
                for bit in 0..<8 {
                    var changed = file
                    changed[index] ^= 1 << UInt8(bit)
                    #expect(throws: LogFailure.self, "bit \(bit) of byte \(index)") {
                        try Segment(bytes: changed).verify()
                    }
                    found += 1
                }
            }
            #expect(found >= 4_000)
            print("pruned segment: \(found) changed bits found in \(file.count) bytes")
        }
    }

    @Test func `a segment is not replaced by a pruned one that its journal does not name`() throws {
        try withTemporaryDirectory { folder in
            let (sealed, whole) = try sealed("\(folder)/journal.db")
            // A run that is not sealed, a run of another journal, and a run that is already pruned.
            #expect(throws: LogFailure.self) { _ = try sealed.pruned(2...701) }
            let (other, _) = try self.sealed("\(folder)/other.db")
            let foreign = try other.pruned(Self.first)
            #expect(throws: LogFailure.self) { try sealed.log.prune(foreign) }
            try sealed.prune(try sealed.pruned(Self.first))
            #expect(throws: LogFailure.self) { _ = try sealed.pruned(Self.first) }
            // A valid pruned segment, in place without a `JournalPruned` event.
            _ = try sealed.pruned(Self.second)
            let place = sealed.folder.file(of: Self.second)
            try FileManager.default.removeItem(atPath: place)
            try FileManager.default.moveItem(atPath: sealed.folder.prunedFile(of: Self.second), toPath: place)
            do throws(LogFailure) {
                _ = try SQLiteReader(path: sealed.path).read(from: 701, events: 1, bytes: 1)
                Issue.record("a segment was read that the journal does not name")
            } catch {
                #expect(error.message.contains("not the one that this journal sealed"))
            }
            #expect(try SQLiteReader(path: sealed.path).read(from: 1_401, events: 1, bytes: 1) == [whole[1_400]])
        }
    }

    @Test func `pruning a run without old events records it and leaves its segment unchanged`() throws {
        try withTemporaryDirectory { folder in
            let (sealed, whole) = try sealed("\(folder)/journal.db")
            let before = try size(sealed, Self.first)
            try sealed.prune(
                try PrunedRun.make(Self.first, in: sealed.folder, keeping: []) { (_) throws(LogFailure) in nil })
            #expect(try size(sealed, Self.first) == before)
            let entries = try self.entries(SQLiteReader(path: sealed.path))
            #expect(Array(entries.prefix(whole.count)) == whole && entries.count == whole.count + 1)
        }
    }
}
