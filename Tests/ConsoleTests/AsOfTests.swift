import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

@Suite("Reads as of a recorded time")
struct AsOfTests {
    private static let start = Instant(microseconds: 1_800_000_000_000_000)

    /// A journal whose clock was three years ahead for a while, until the operator accepted the right one.
    private func journal() throws -> [Entry] {
        let log = try MemoryLog(feed: "sensor-ingest/farm-0", why: "test", at: Self.start, chance: .seeded(1))
        func record(_ seconds: Double) throws {
            let draft = Draft(ClockStepped(seconds: seconds), in: "journal", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: Self.start.advanced(bySeconds: seconds))
            try log.commit()
        }
        try record(10)
        try record(94_608_000)
        try record(30)
        try log.beginEpoch(why: "accepted", at: Self.start.advanced(bySeconds: 40), resettingTime: true)
        try record(50)
        return try log.reader().read(from: 1, events: 100, bytes: .max)
    }

    private func included(_ entries: [Entry], asOf seconds: Double, knowing starts: EpochStarts) -> [Position] {
        let time = Self.start.advanced(bySeconds: seconds)
        return entries.filter { AsOf.recorded(time).includes($0, before: starts) == true }.map(\.position)
    }

    @Test func `within an epoch recorded times never decrease, and the next one begins at the accepted clock`() throws {
        let envelopes = try journal().map { try EnvelopeCodec.read($0.bytes).envelope }
        #expect(envelopes.count == 6)
        for (one, next) in zip(envelopes, envelopes.dropFirst()) where one.epoch == next.epoch {
            #expect(one.recorded < next.recorded)
        }
        #expect(envelopes[4].epoch != envelopes[3].epoch && envelopes[3].recorded > envelopes[5].recorded)
        #expect(envelopes[4].recorded == Self.start.advanced(bySeconds: 40))
    }

    @Test func `a read as of a recorded time includes each journal up to its last entry recorded by then`() throws {
        let entries = try journal()
        var starts = EpochStarts()
        for entry in entries { starts.add(entry) }
        #expect(included(entries, asOf: 5, knowing: starts) == [1])
        #expect(included(entries, asOf: 20, knowing: starts) == [1, 2])
        // Entries that the wrong clock recorded later than the start of the next epoch precede that start.
        #expect(included(entries, asOf: 40, knowing: starts) == [1, 2, 3, 4, 5])
        #expect(included(entries, asOf: 60, knowing: starts) == [1, 2, 3, 4, 5, 6])
        // The mutant, which checks each entry by itself, leaves a gap.
        #expect(included(entries, asOf: 60, knowing: EpochStarts()) == [1, 2, 5, 6])
    }
}
