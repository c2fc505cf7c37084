import EventSourcing
import Foundation
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

/// A journal that is written again from a mirror, as a promoted standby does.
@Suite("Journals that are written again")
struct JournalSeedTests {
    /// A sealed and partly pruned journal with stored responses, and what a mirror has of it.
    private struct Mirror {
        let path: String
        let head: Head
        let entries: [Entry]
        let ids: [(position: Position, id: Vocabulary.UUID)]
        let firstEpoch: Epoch

        init(_ path: String) throws {
            self.path = path
            let sealed = try Sealed(at: path)
            try sealed.append(0..<3_000)
            for number: UInt8 in 1...5 {
                let key = IdempotencyKey(actor: "grower:anna", key: "k\(number)", digest: [number])
                let draft = Draft(Noted(Int(number), "answered"), in: "note/x", by: .service("test"))
                let answer = Response(status: 201, body: Array("{\"number\":\(number)}".utf8))
                _ = try sealed.log.stage(Commit([draft], answer: (key, answer)), at: Sealed.now)
                try sealed.log.commit()
            }
            try sealed.sealAll()
            let all = try EventLogContract.audit(SQLiteReader(path: path))
            ids = try all.map { ($0.position, try EnvelopeCodec.read($0.bytes).envelope.id) }
            firstEpoch = try EnvelopeCodec.read(all[0].bytes).envelope.epoch
            try sealed.prune(try sealed.pruned(1...700))
            let reader = try SQLiteReader(path: path)
            head = try reader.head()
            var entries: [Entry] = []
            while entries.count < Int(head.position) {
                entries += try reader.read(
                    from: Position(entries.count + 1), events: EventLimits.pageEvents, bytes: EventLimits.pageBytes)
            }
            self.entries = entries
            try sealed.log.close()
        }

        /// Writes the journal again at another path, whose segments are copied.
        func write(
            to other: String, changing change: ([Entry]) -> [Entry] = { $0 }, without lost: [Int] = []
        ) throws {
            try FileManager.default.copyItem(
                atPath: SegmentDirectory(ofJournal: path).path, toPath: SegmentDirectory(ofJournal: other).path)
            let folder = SegmentDirectory(ofJournal: other)
            let names = try folder.names()
            for index in lost { try FileManager.default.removeItem(atPath: "\(folder.path)/\(names[index])") }
            let seed = try JournalSeed(
                path: other, feed: Sealed.feed, firstEpoch: firstEpoch, seals: 4)
            try seed.add(sealed: ids.filter { $0.position <= seed.sealedTo })
            try seed.add(change(Array(entries.dropFirst(Int(seed.sealedTo)))))
            try seed.add(try SQLiteReader(path: path).responses(after: 0, limit: 100))
            try seed.finish(at: head)
        }
    }

    @Test func `the journal is the same: entries, ids, pruned events, responses and index`() throws {
        try withTemporaryDirectory { folder in
            let mirror = try Mirror("\(folder)/first.db")
            let other = "\(folder)/second.db"
            try mirror.write(to: other)
            let reader = try SQLiteReader(path: other)
            #expect(try reader.head() == mirror.head)
            var entries: [Entry] = []
            while entries.count < mirror.entries.count {
                entries += try reader.read(
                    from: Position(entries.count + 1), events: EventLimits.pageEvents, bytes: EventLimits.pageBytes)
            }
            #expect(entries == mirror.entries && entries.contains(where: \.isPruned))
            for (position, id) in mirror.ids { #expect(try reader.position(of: id) == position) }
            #expect(try reader.indexFlaw { _ in true } == nil)
            let log = try SQLiteLog(path: other, feed: Sealed.feed, why: "test", at: Sealed.now)
            for number: UInt8 in 1...5 {
                let key = IdempotencyKey(actor: "grower:anna", key: "k\(number)", digest: [number])
                let answer = Response(status: 201, body: Array("{\"number\":\(number)}".utf8))
                #expect(try log.recall(key) == .answered(answer))
            }
            try log.beginEpoch(why: "promoted", at: Sealed.now)
            #expect(log.head.position == mirror.head.position + 1 && log.head.epoch != mirror.head.epoch)
            print("seed: \(entries.count) entries, \(entries.count(where: \.isPruned)) of them pruned")
        }
    }

    @Test func `a segment whose file was not received is made again, and is the same`() throws {
        try withTemporaryDirectory { folder in
            let mirror = try Mirror("\(folder)/first.db")
            let (first, other) = (SegmentDirectory(ofJournal: mirror.path), "\(folder)/second.db")
            try mirror.write(to: other, without: [2, 3])
            let second = SegmentDirectory(ofJournal: other)
            #expect(try second.names().count == 2)
            let log = try SQLiteLog(path: other, feed: Sealed.feed, why: "test", at: Sealed.now)
            for run in try JournalSeed.makeMissingSegments(
                in: second, reading: log.reader(), seals: 4, events: Sealed.run)
            {
                try log.hand(over: run)
                try log.commit()
            }
            for name in try first.names() {
                let made = try Data(contentsOf: URL(fileURLWithPath: "\(second.path)/\(name)"))
                #expect(try made == Data(contentsOf: URL(fileURLWithPath: "\(first.path)/\(name)")), "\(name)")
            }
            #expect(try SQLiteReader(path: other).indexFlaw { _ in true } == nil)
        }
    }

    @Test func `a changed, missing or further entry is refused`() throws {
        try withTemporaryDirectory { folder in
            let mirror = try Mirror("\(folder)/first.db")
            var refused = 0
            let changes: [([Entry]) -> [Entry]] = [
                { entries in
                    var entries = entries
                    var bytes = entries[5].bytes
                    bytes[bytes.count - 2] ^= 1
                    entries[5] = Entry(position: entries[5].position, hash: entries[5].hash, bytes: bytes)
                    return entries
                },
                { Array($0.dropFirst()) }, { Array($0.dropLast()) },
                { $0 + [Entry(position: $0.last?.position ?? 0, hash: [], bytes: [1])] },
            ]
            for (number, change) in changes.enumerated() {
                do {
                    try mirror.write(to: "\(folder)/second\(number).db", changing: change)
                } catch is LogFailure {
                    refused += 1
                }
            }
            #expect(refused == changes.count)
        }
    }
}
