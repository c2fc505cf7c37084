import EventSourcing
import EventStore
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// What one walk through the hub tells of a journal that was restored from an older copy, and lived on.
@Suite("A walk through the hub")
struct MirrorsTests {
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
    /// Two lives of one journal, the same up to what the copy had, and what other journals told.
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

    /// The hub's order of them: its positions, and its chain.
    private func hub(_ entries: some Sequence<Entry>) -> [Entry] {
        var hash = Chain.start(feed: "hub", epoch: Epoch(7))
        return entries.enumerated().map { index, entry in
            hash = Chain.next(after: hash, entry.bytes)
            return Entry(position: Position(index + 1), hash: hash, bytes: entry.bytes)
        }
    }

    private func mirrors(_ hub: [Entry]) throws -> Mirrors {
        var mirrors = Mirrors(at: 8)
        for entry in hub { try mirrors.add(entry) }
        return mirrors
    }

    private func all(_ walk: some Walk) throws -> [Entry] {
        var entries: [Entry] = []
        while let entry = try walk.next() { entries.append(entry) }
        return entries
    }

    @Test func `gives the last of the lives that people have accepted, and how much was left behind`() throws {
        let hub = hub(others[..<2] + lives[0][..<10] + others[2...] + lives[1][Self.kept...])
        let mirrors = try mirrors(hub)
        let mirror = mirrors[origin]
        #expect(mirror.position == 12 && mirror.hash == lives[1].last?.hash)
        #expect(mirror.left == 4 && mirror.fork == nil && mirror.asked == 6)
        let walked = try all(MirrorWalk(Pages(hub), of: origin, as: mirror))
        #expect(walked.map(\.bytes) == lives[1].map(\.bytes))
        #expect(walked.map(\.position) == lives[1].map(\.position))
        // The mutant: whoever does not know where lives ended hears both.
        #expect(try all(MirrorWalk(Pages(hub), of: origin, as: Mirrors()[origin])).count == 16)
    }

    @Test func `names the place where a second life begins that nobody accepted`() throws {
        let hub = hub(others + lives[0][..<10] + lives[1][Self.kept...])
        let mirror = try mirrors(hub)[origin]
        #expect(mirror.fork == Position(Self.kept + 1) && mirror.position == 12 && mirror.left == 0)
        let walked = try all(MirrorWalk(Pages(hub), of: origin, as: mirror))
        #expect(walked.map(\.bytes) == lives[1].map(\.bytes))
    }

    @Test func `has another chain for every byte that the hub has of it`() throws {
        let sound = try mirrors(hub(lives[0]))[origin]
        #expect(sound.hash == lives[0].last?.hash)
        var told = 0
        for index in lives[0].indices {
            var forged = lives[0]
            let text = String(decoding: forged[index].bytes, as: UTF8.self)
            let other = text.replacing("\"specversion\":\"1.0\"", with: "\"specversion\": \"1.0\"")
            #expect(other != text)
            forged[index] = Entry(position: 0, hash: [], bytes: Array(other.utf8))
            let mirror = try mirrors(hub(forged))[origin]
            #expect(mirror.position == sound.position)
            if mirror.hash != sound.hash { told += 1 }
        }
        print("mirrors: \(told) changed copies told by their chain")
        #expect(told == 12)
    }

    @Test func `keeps what others told until it is asked for, and nothing of what journals tell of themselves`() throws
    {
        let hub = hub(others[..<1] + lives[0][..<4] + others[1...])
        let ledger = Origin(service: "trace-ledger", site: "farm", slot: 0)
        let walk = try MirrorWalk(Pages(hub), of: ledger, as: mirrors(hub)[ledger], keepingOthers: true)
        #expect(try walk.next()?.position == 1)
        #expect(walk.others(of: origin.description, through: 9).isEmpty)
        #expect(try walk.next()?.position == 2)
        // The first entry of a journal is the beginning of its epoch.
        #expect(walk.others(of: origin.description, through: 3).map(\.position) == [2, 3])
        #expect(walk.others(of: origin.description, through: 3).isEmpty)
        #expect(walk.others(of: origin.description, through: 4).map(\.bytes) == [lives[0][3].bytes])
    }
}
