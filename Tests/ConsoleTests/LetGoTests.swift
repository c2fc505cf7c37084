import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// An audit accepts an empty position only if the same journal records it as pruned.
@Suite("Pruned positions")
struct LetGoTests {
    private static let now = Instant(microseconds: 1_780_000_000_000_000)
    private static let feed = "sensor-ingest/farm-0"
    private let origin = Origin(service: "sensor-ingest", site: "farm", slot: 0)

    private final class Pages: Walk {
        private var rest: ArraySlice<Entry>

        init(_ entries: [Entry]) {
            rest = entries[...]
        }

        func next() -> Entry? { rest.popFirst() }
    }

    /// A journal of twelve events, followed by the given prune events.
    private func journal(_ feed: String = feed, telling pruned: [JournalPruned]) throws -> [Entry] {
        let log = try MemoryLog(feed: feed, why: "test", at: Self.now, chance: .seeded(7))
        for number in 1..<12 {
            _ = try log.stage(Commit([Draft(Noted(number), in: "a", by: .service("test"))]), at: Self.now)
        }
        for one in pruned {
            _ = try log.stage(Commit([Draft(one, in: "prunings", by: .service("test"))]), at: Self.now)
        }
        try log.commit()
        return try log.reader().read(from: 1, events: 100, bytes: .max)
    }

    private func emptied(_ entries: [Entry], _ positions: [Position]) -> [Entry] {
        entries.map { positions.contains($0.position) ? Entry(position: $0.position, hash: $0.hash, bytes: []) : $0 }
    }

    /// The summaries of a hub with these entries in this order, some without bytes.
    private func summaries(_ entries: [Entry], empty: [Position]) throws -> OriginSummaries {
        var summaries = OriginSummaries()
        var hash = Chain.start(feed: "hub", epoch: Epoch(7))
        for (index, entry) in entries.enumerated() {
            hash = Chain.next(after: hash, entry.bytes)
            let position = Position(index + 1)
            try summaries.add(
                Entry(position: position, hash: hash, bytes: empty.contains(position) ? [] : entry.bytes))
        }
        return summaries
    }

    private func sentence(_ places: String) -> String {
        let object = places.hasSuffix("is") ? "it" : "them"
        return "\(places) empty, and no event of the journal records \(object) as pruned"
    }

    @Test func `an empty position is valid only if a later event of its journal records it as pruned`() throws {
        let pruned = JournalPruned(first: 2, last: 9, positions: [3, 4, 5, 9])
        let told = try journal(telling: [pruned])
        for (empty, flaw) in [
            ([], nil), ([3, 4, 5, 9], nil), ([4], nil),
            ([3, 4, 6], sentence("position 6 of \(Self.feed) is")),
            ([3, 6, 7, 8, 10], sentence("positions 6–8 of \(Self.feed) are")),
        ] as [([Position], String?)] {
            var places = PrunedPositions()
            for entry in emptied(told, empty) {
                if entry.isPruned { places.add(entry.position) }
                if entry.position == 13 { places.explain(pruned, recordedAt: 13) }
            }
            #expect(places.count == empty.count && places.flaw(of: Self.feed) == flaw)
            // The hub has the event from the same journal.
            let hub = try summaries(told, empty: empty)
            #expect(hub.flaw == flaw && hub.letGo == empty.count && hub.isWaiting == (flaw != nil))
            #expect(hub[origin].position == 13)
        }
        // A prune event does not cover later positions or those of another journal.
        let later = try journal(telling: [JournalPruned(first: 8, last: 20, positions: [9, 14]), pruned])
        #expect(try summaries(later, empty: [9]).flaw == nil)
        #expect(try summaries(later, empty: [13]).flaw == sentence("position 13 of \(Self.feed) is"))
        let other = try journal("sensor-ingest/farm-1", telling: [pruned])
        let both = try other + journal(telling: [])
        #expect(try summaries(both, empty: [16]).flaw == sentence("position 3 of \(Self.feed) is"))
    }

    @Test func `prune events of several journals explain the hub's empty positions`() throws {
        let one = try journal(telling: [JournalPruned(first: 2, last: 9, positions: [3, 8])])
        let two = try journal(
            "sensor-ingest/farm-1",
            telling: [
                JournalPruned(first: 1, last: 4, positions: [4]), JournalPruned(first: 5, last: 12, positions: [5]),
            ])
        // In turns, as they arrive.
        var both: [Entry] = []
        for index in 0..<14 { both += [one, two].compactMap { index < $0.count ? $0[index] : nil } }
        let empty = both.indices.filter { index in
            index.isMultiple(of: 2) ? [3, 8].contains(index / 2 + 1) : [4, 5].contains(index / 2 + 1)
        }.map { Position($0 + 1) }
        #expect(empty.count == 4)
        let hub = try summaries(both, empty: empty)
        #expect(hub.flaw == nil && hub.letGo == 4 && !hub.isWaiting)
        // An event that the hub never had leaves no empty position.
        let less = both.enumerated().filter { $0.offset != 8 }.map(\.element)
        #expect(try summaries(less, empty: []).flaw == "\(Self.feed) has no entries 5–5 in it")
        // One empty position more than events are missing.
        let more = Array(both[..<10]) + [Entry(position: 0, hash: [], bytes: [1])] + Array(both[10...])
        #expect(try summaries(more, empty: [11]).flaw == "1 of its empty positions belong to no journal")
    }

    @Test func `pruned events are omitted by an iterator, and prune events are consumed by others`() throws {
        let told = try journal(telling: [
            JournalPruned(first: 2, last: 9, positions: [3, 4]), JournalPruned(first: 10, last: 12),
        ])
        let ledger = Origin(service: "trace-ledger", site: "farm", slot: 0)
        let hub = emptied(told, [3, 4])
        let walk = OriginIterator(Pages(hub), of: ledger, as: OriginSummaries()[ledger], keepingOthers: true)
        #expect(try walk.next() == nil)
        #expect(walk.others(of: Self.feed, through: 99).map(\.position) == [2, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        let own = try OriginIterator(Pages(hub), of: origin, as: summaries(told, empty: [3, 4])[origin])
        var positions: [Position] = []
        while let entry = try own.next() { positions.append(entry.position) }
        #expect(positions == [1, 2] + Array(5...14))
    }
}
