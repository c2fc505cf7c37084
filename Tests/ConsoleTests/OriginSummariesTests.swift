import Crypto
import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// The hub's summary of a journal that was restored from an older copy and continued.
@Suite("Summaries of the hub")
struct OriginSummariesTests {
    private final class Pages: Walk {
        private var rest: ArraySlice<Entry>

        init(_ entries: [Entry]) {
            rest = entries[...]
        }

        func next() -> Entry? { rest.popFirst() }
    }

    private static let now = Instant(microseconds: 1_780_000_000_000_000)
    private static let kept = 6
    private let origin = Origin(service: "test", site: "farm", slot: 0)
    /// Two histories of one journal with a common beginning, and entries of other journals.
    private let lives: [[Entry]]
    private let others: [Entry]

    init() throws {
        let origin = origin
        func journal(_ origin: Origin, _ facts: [any Event]) throws -> [Entry] {
            let log = try MemoryLog(feed: origin.description, why: "test", at: Self.now, chance: .seeded(7))
            for fact in facts { _ = try log.stage(Commit([Draft(fact, in: "a", by: .service("test"))]), at: Self.now) }
            try log.commit()
            return try log.reader().read(from: 1, events: 100, bytes: .max)
        }
        lives = try ["lost", "anew"].map { text in
            try journal(origin, (1..<12).map { Noted($0, $0 < Self.kept ? "kept" : text) })
        }
        let place = lives[0][Self.kept - 1]
        #expect(place == lives[1][Self.kept - 1] && lives[0][Self.kept] != lives[1][Self.kept])
        let accepted = FollowAccepted(
            feed: origin.description, epoch: Epoch(7), keptTo: place.position, keptHash: Hex.encode(place.hash), left: 4
        )
        others = try journal(Origin(service: "trace-ledger", site: "farm", slot: 0), [Noted(1, "news"), accepted])
    }

    /// The entries in the hub's order, with its positions and chain.
    private func hub(_ entries: some Sequence<Entry>) -> [Entry] {
        var hash = Chain.start(feed: "hub", epoch: Epoch(7))
        return entries.enumerated().map { index, entry in
            hash = Chain.next(after: hash, entry.bytes)
            return Entry(position: Position(index + 1), hash: hash, bytes: entry.bytes)
        }
    }

    private func summaries(_ hub: [Entry]) throws -> OriginSummaries {
        var summaries = OriginSummaries(at: 8)
        for entry in hub { try summaries.add(entry) }
        return summaries
    }

    private func all(_ walk: some Walk) throws -> [Entry] {
        var entries: [Entry] = []
        while let entry = try walk.next() { entries.append(entry) }
        return entries
    }

    @Test func `the last accepted history of a journal is returned, with the number of events left behind`() throws {
        let hub = hub(others[..<2] + lives[0][..<10] + others[2...] + lives[1][Self.kept...])
        let summaries = try summaries(hub)
        let mirror = summaries[origin]
        #expect(mirror.position == 12 && mirror.hash == lives[1].last?.hash)
        #expect(mirror.left == 4 && mirror.fork == nil && mirror.asked == 6)
        let walked = try all(OriginIterator(Pages(hub), of: origin, as: mirror))
        #expect(walked.map(\.bytes) == lives[1].map(\.bytes))
        #expect(walked.map(\.position) == lives[1].map(\.position))
        // The mutant: without the ends of histories, entries of both are returned.
        #expect(try all(OriginIterator(Pages(hub), of: origin, as: OriginSummaries()[origin])).count == 16)
    }

    @Test func `the position at which an unaccepted history begins is reported`() throws {
        let hub = hub(others + lives[0][..<10] + lives[1][Self.kept...])
        let mirror = try summaries(hub)[origin]
        #expect(mirror.fork == Position(Self.kept + 1) && mirror.position == 12 && mirror.left == 0)
        let walked = try all(OriginIterator(Pages(hub), of: origin, as: mirror))
        #expect(walked.map(\.bytes) == lives[1].map(\.bytes))
    }

    @Test func `the chain of a copy changes with every changed entry`() throws {
        let sound = try summaries(hub(lives[0]))[origin]
        #expect(sound.hash == lives[0].last?.hash)
        var told = 0
        for index in lives[0].indices {
            var forged = lives[0]
            let text = String(decoding: forged[index].bytes, as: UTF8.self)
            let other = text.replacing("\"specversion\":\"1.0\"", with: "\"specversion\": \"1.0\"")
            #expect(other != text)
            forged[index] = Entry(position: 0, hash: [], bytes: Array(other.utf8))
            let mirror = try summaries(hub(forged))[origin]
            #expect(mirror.position == sound.position)
            if mirror.hash != sound.hash { told += 1 }
        }
        print("mirrors: \(told) changed copies told by their chain")
        #expect(told == 12)
    }

    @Test func `an iterator stores foreign events until they are requested, without journal events`() throws {
        let hub = hub(others[..<1] + lives[0][..<4] + others[1...])
        let ledger = Origin(service: "trace-ledger", site: "farm", slot: 0)
        let walk = try OriginIterator(Pages(hub), of: ledger, as: summaries(hub)[ledger], keepingOthers: true)
        #expect(try walk.next()?.position == 1)
        #expect(walk.others(of: origin.description, through: 9).isEmpty)
        #expect(try walk.next()?.position == 2)
        // The first entry of a journal is the start of its epoch, a journal event.
        #expect(walk.others(of: origin.description, through: 3).map(\.position) == [2, 3])
        #expect(walk.others(of: origin.description, through: 3).isEmpty)
        #expect(walk.others(of: origin.description, through: 4).map(\.bytes) == [lives[0][3].bytes])
    }

    @Test func `an iterator continues after unreadable bytes, at the position that the log records`() throws {
        // The third entry is not an event, but the chain is intact.
        var journal = lives[0]
        var hash = journal[1].hash
        for index in 2..<journal.count {
            let bytes = index == 2 ? Array(#"{"no":"event"}"#.utf8) : journal[index].bytes
            hash = Chain.next(after: hash, bytes)
            journal[index] = Entry(position: journal[index].position, hash: hash, bytes: bytes)
        }
        let hub = hub(others[..<2] + journal)
        let ledger = Origin(service: "trace-ledger", site: "farm", slot: 0)
        func log(_ position: Position) -> LedgerEntry? {
            LedgerEntry(
                hub: position, origin: origin.description, epoch: Epoch(7), position: position - 2,
                commitment: SHA256.hash([]))
        }
        var summaries = OriginSummaries()
        for entry in hub { try summaries.add(entry, asking: log) }
        #expect(summaries.unreadable.count == 1 && summaries.unreadable[5]?.position == 3 && summaries.flaw == nil)
        #expect(summaries[origin].position == 12 && summaries[origin].hash == journal.last?.hash)
        // A consumer of the journal receives the entry at its position.
        let own = OriginIterator(Pages(hub), of: origin, as: summaries[origin], unreadable: summaries.unreadable)
        #expect(try all(own).map(\.bytes) == journal.map(\.bytes))
        let walk = OriginIterator(
            Pages(hub), of: ledger, as: summaries[ledger], unreadable: summaries.unreadable, keepingOthers: true)
        #expect(try all(walk).count == 2)
        #expect(walk.others(of: origin.description, through: 4).map(\.position) == [2, 3, 4])
        // Without the log, the origin of the entry is unknown.
        var blind = OriginSummaries()
        for entry in hub { try blind.add(entry) }
        #expect(blind.unreadable.isEmpty && blind.flaw != nil)
        // It has no readable time, but a position.
        #expect(AsOf.recorded(Self.now).includes(hub[4]) == nil && AsOf.happened(Self.now).includes(hub[4]) == nil)
        #expect(AsOf.position(5).includes(hub[4]) == true && AsOf.position(4).includes(hub[4]) == false)
    }

    @Test func `an epoch of the hub that no event records is reported`() throws {
        let hub = hub(others + lives[0])
        func flaw(_ entries: [Entry], in epoch: Epoch) throws -> String? {
            var summaries = try summaries(entries)
            summaries.epoch = epoch
            return summaries.flaw
        }
        #expect(try flaw(hub, in: Epoch(7)) == nil)
        #expect(
            try flaw(hub, in: Epoch(8))
                == "it is in epoch 0000000000000008, and no event records how it began")
        // A restore of the ledger's journal began it, or, after a restore by an older build, a checkpoint event names
        // it.
        let ledger = Origin(service: "trace-ledger", site: "farm", slot: 0)
        let log = try MemoryLog(feed: ledger.description, why: "test", at: Self.now, chance: .seeded(7))
        try log.beginEpoch(why: "restored", at: Self.now)
        let restored = try log.reader().read(from: 1, events: 100, bytes: .max)
        let epoch = log.head.epoch
        let intake = FeedConsumed(feed: "hub", epoch: Epoch(9), first: 1, last: 2, hash: "00")
        let other = try MemoryLog(feed: origin.description, why: "test", at: Self.now, chance: .seeded(7))
        _ = try other.stage(Commit([Draft(intake, in: "a", by: .service("test"))]), at: Self.now)
        try other.commit()
        let after = self.hub(restored + (try other.reader().read(from: 1, events: 100, bytes: .max)))
        #expect(try flaw(after, in: epoch) == nil && flaw(after, in: Epoch(9)) == nil)
        #expect(try flaw(after, in: Epoch(7)) != nil && flaw(after, in: Epoch(8)) != nil)
    }
}
