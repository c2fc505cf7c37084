import EventSourcing
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

@Suite("A segment of a replicated log")
struct ReplicatedSegmentTests {
    private static let feed = "test/farm-0"
    private static let now = Instant(microseconds: 1_777_792_500_000_000)

    @Test func `is read as it was written`() throws {
        let segment = ReplicatedSegment(
            ids: (0..<3).map { .named("\($0)", in: .furrow) }, streams: [.init(stream: "a\n1", version: 7)],
            file: Array("a file".utf8))
        #expect(try ReplicatedSegment(segment.bytes) == segment)
        #expect(try ReplicatedSegment.size(beginning: Array(segment.bytes.prefix(64))) == segment.bytes.count)
    }

    @Test func `is refused if bytes are missing, or if its first line is malformed`() throws {
        let bytes = ReplicatedSegment(ids: [], streams: [], file: [1, 2, 3]).bytes
        let others = [
            Array(bytes.dropLast()), bytes + [4], Array(bytes.dropFirst()), [],
            Array("furrow-replicated/1 15 2 3\n".utf8),
            Array("furrow-replicated/1 -16 2 3\n".utf8), Array("furrow-replicated/1 16 2\n".utf8),
            Array("furrow-replicated/1 16 2 9223372036854775807\n".utf8),
        ]
        for other in others { #expect(throws: LogFailure.self) { try ReplicatedSegment(other) } }
    }

    @Test func `is taken as the beginning of a journal, and refused if it is not that of the journal`() throws {
        try withTemporaryDirectory { folder in
            let (sealed, ids) = try Self.sealed(in: folder)
            let other = try SQLiteLog(path: "\(folder)/other.db", feed: Self.feed, why: "test", at: Self.now)
            try other.close()
            func take(_ segment: ReplicatedSegment, at name: String, feed: String = Self.feed) throws -> JournalReplica
            {
                let replica = try JournalReplica(path: "\(folder)/\(name).db", feed: feed)
                try replica.take(segment, of: "log")
                return replica
            }
            let segment = ReplicatedSegment(ids: ids, streams: [], file: sealed)
            let hash = try take(segment, at: "copy").hash
            // It can be opened again, though all of its events are in a segment.
            let again = try JournalReplica(path: "\(folder)/copy.db", feed: Self.feed)
            #expect(again.position == Position(StoreLimits.sealEvents) && again.sealedTo == again.position)
            #expect(again.hash == hash)

            #expect(throws: LogFailure.self) { try take(segment, at: "other") }
            #expect(throws: LogFailure.self) { try take(segment, at: "named", feed: "test/farm-1") }
            let swapped = ReplicatedSegment(ids: ids.reversed(), streams: [], file: sealed)
            #expect(throws: LogFailure.self) { try take(swapped, at: "swapped") }
            let short = ReplicatedSegment(ids: ids.dropLast(), streams: [], file: sealed)
            #expect(throws: LogFailure.self) { try take(short, at: "short") }
            var flipped = sealed
            flipped[sealed.count - 1] ^= 1
            let damaged = ReplicatedSegment(ids: ids, streams: [], file: flipped)
            #expect(throws: LogFailure.self) { try take(damaged, at: "damaged") }
        }
    }

    /// Returns the file of the first segment of a journal, and the ids of its events.
    private static func sealed(in folder: String) throws -> (file: [UInt8], ids: [UUID]) {
        let log = try SQLiteLog(path: "\(folder)/log.db", feed: feed, why: "test", at: now)
        for number in 0..<StoreLimits.sealEvents {
            _ = try log.stage(Commit([Draft(Noted(number), in: "note/1", by: .service("test"))]), at: now)
        }
        try log.commit()
        let positions = 1...Position(StoreLimits.sealEvents)
        let segments = SegmentDirectory(ofJournal: log.path)
        let run = try SealedRun.make(positions, reading: log.reader(), in: segments)
        let ids = try SegmentContents(of: Segment(path: segments.file(of: run.head.positions))).ids
        return (try segments.read(positions), try ids.map { try #require($0) })
    }
}
