public import EventSourcing
import EventStore
public import Vocabulary
import Wire

/// Creates and crashes the mirror logs of one implementation, for the contract.
public struct MirrorHarness {
    /// Creates a new hub at a time.
    public let create: (Instant) throws -> any MirrorLog
    /// Ends a hub as a killed process would, and reopens it.
    public let crash: (any MirrorLog, Instant) throws -> any MirrorLog

    /// Creates a harness.
    public init(
        create: @escaping (Instant) throws -> any MirrorLog,
        crash: @escaping (any MirrorLog, Instant) throws -> any MirrorLog
    ) {
        self.create = create
        self.crash = crash
    }
}

/// The contract of every hub when events of a mirrored journal are pruned.
public enum MirrorContract {
    /// A clause of this contract.
    public typealias Check = ContractCheck<MirrorHarness>

    /// All clauses.
    public static var checks: [Check] {
        [
            Check("a prune removes exactly the given events", letsGo),
            Check("a prune preserves the order, the hashes and every id", keepsPlaces),
            Check("a prune takes effect only with its commit", forgetsWithCommit),
            Check("pruning pruned events again has no effect", ignores),
            Check("events mirrored in the same commit can be pruned", letsGoStaged),
            Check("a journal with pruned events can be mirrored", mirrorsPruned),
            Check("events that are not mirrored cannot be pruned", refuses),
        ]
    }

    private static let now = Instant(microseconds: 1_777_792_500_000_000)
    private static let feed = "sensor-ingest/barn-0"
    private static let events = 40
    private static let positions: [Position] = [3, 4, 5, 17, 30]

    /// Returns a page with all events of a new journal.
    private static func page() throws -> Page {
        let log = try MemoryLog(feed: feed, why: "test", at: now, chance: .seeded(7))
        for number in 1..<events {
            _ = try log.stage(
                Commit([Draft(Noted(number, "x"), in: "note/\(number % 3)", by: .service("test"))]), at: now)
        }
        try log.commit()
        return Page(head: log.head, entries: try log.reader().read(from: 1, events: events, bytes: .max))
    }

    private static func pruned(_ entries: [Entry]) -> [Entry] {
        entries.map { entry in
            positions.contains(entry.position)
                ? Entry(position: entry.position, hash: entry.hash, bytes: []) : entry
        }
    }

    private static func mirrored(_ harness: MirrorHarness) throws -> (hub: any MirrorLog, page: Page) {
        let (hub, page) = (try harness.create(now), try page())
        try hub.take(page)
        try hub.commit()
        return (hub, page)
    }

    private static func copy(_ hub: any MirrorLog) throws -> [Entry] {
        try hub.originReader(feed).read(from: 1, events: 1_000, bytes: .max)
    }

    private static func order(_ hub: any MirrorLog) throws -> [Entry] {
        try hub.hubReader().read(from: 1, events: 1_000, bytes: .max)
    }

    private static func letsGo(_ harness: MirrorHarness) throws {
        let (hub, page) = try mirrored(harness)
        try hub.prune(feed, positions)
        try hub.commit()
        try require(copy(hub), equals: pruned(page.entries), "the copy")
        try require(order(hub).count(where: \.isPruned), equals: positions.count, "empty places in the hub's order")
        let reopened = try harness.crash(hub, now)
        try require(copy(reopened), equals: pruned(page.entries), "the copy after a crash")
        // A page after the prune has at most as many entries as before.
        let reader = try reopened.originReader(feed)
        try require(reader.read(from: 3, events: 3, bytes: 1).map(\.position), equals: [3, 4, 5], "a page of none")
        try require(reader.read(from: 3, events: 9, bytes: 1).map(\.position), equals: [3, 4, 5, 6], "a page of one")
    }

    private static func keepsPlaces(_ harness: MirrorHarness) throws {
        let (hub, page) = try mirrored(harness)
        let (before, head) = (try order(hub), hub.hubHead)
        try hub.prune(feed, positions)
        try hub.commit()
        let reopened = try harness.crash(hub, now)
        try require(reopened.hubHead, equals: head, "the hub's head")
        try require(reopened.feeds(), equals: hub.feeds(), "the feeds")
        let after = try order(reopened)
        try require(after.map(\.hash), equals: before.map(\.hash), "the hub's chain")
        try require(after.map(\.position), equals: before.map(\.position), "the hub's positions")
        for (index, entry) in page.entries.enumerated() {
            let id = try EnvelopeCodec.read(entry.bytes).envelope.id
            try require(reopened.originReader(feed).position(of: id), equals: entry.position, "the id's place")
            // The hub's own first entry precedes them.
            try require(reopened.hubReader().position(of: id), equals: Position(index + 2), "its place in the hub")
        }
        // The chain continues from there.
        _ = try reopened.stage(Commit([Draft(Noted(1), in: "note/a", by: .service("test"))]), at: now)
        try reopened.commit()
        let start = try reopened.hubReader().hash(at: 0) ?? []
        try require(Chain.firstBreak(in: order(reopened), after: start, at: 0), equals: nil, "the first break")
    }

    private static func forgetsWithCommit(_ harness: MirrorHarness) throws {
        let (hub, page) = try mirrored(harness)
        try hub.prune(feed, positions)
        try require(copy(hub), equals: page.entries, "the copy before the commit")
        let reopened = try harness.crash(hub, now)
        try require(copy(reopened), equals: page.entries, "the copy after a crash before the commit")
        try reopened.prune(feed, positions)
        try reopened.commit()
        try require(copy(reopened), equals: pruned(page.entries), "the copy in the end")
    }

    private static func ignores(_ harness: MirrorHarness) throws {
        let (hub, page) = try mirrored(harness)
        try hub.prune(feed, positions)
        try hub.commit()
        let (before, head) = (try order(hub), hub.hubHead)
        for entries in [page.entries, pruned(page.entries)] {
            try hub.take(Page(head: page.head, entries: entries))
            try hub.prune(feed, positions)
            try hub.commit()
        }
        try require(order(hub), equals: before, "the hub's order")
        try require(hub.hubHead, equals: head, "the hub's head")
    }

    private static func letsGoStaged(_ harness: MirrorHarness) throws {
        let (hub, page) = (try harness.create(now), try page())
        try hub.take(page)
        try hub.prune(feed, positions)
        try hub.commit()
        try require(copy(hub), equals: pruned(page.entries), "the copy")
    }

    private static func mirrorsPruned(_ harness: MirrorHarness) throws {
        let (hub, page) = (try harness.create(now), try page())
        let entries = pruned(page.entries)
        try hub.take(Page(head: page.head, entries: entries))
        try hub.commit()
        let reopened = try harness.crash(hub, now)
        try require(copy(reopened), equals: entries, "the copy")
        try require(reopened.feeds().contains(page.head), "the feed has another head")
        var places: [Position] = []
        for entry in entries where entry.isPruned {
            try require(
                reopened.originReader(feed).position(of: UUID(bytes: entry.hash)), equals: entry.position,
                "the place by its hash")
            try places.append(reopened.hubReader().position(of: UUID(bytes: entry.hash)) ?? 0)
        }
        try require(places, equals: positions.map { $0 + 1 }, "the places in the hub")
        let start = try reopened.hubReader().hash(at: 0) ?? []
        try require(Chain.firstBreak(in: order(reopened), after: start, at: 0), equals: nil, "the first break")
    }

    private static func refuses(_ harness: MirrorHarness) throws {
        for (name, position) in [(feed, Position(events + 1)), ("sensor-ingest/none-0", 1), ("own", 1)] {
            let (hub, page) = try mirrored(harness)
            var isRefused = false
            do {
                try hub.prune(name == "own" ? hub.head.feed : name, [position])
                try hub.commit()
            } catch {
                isRefused = true
            }
            try require(isRefused, "it pruned \(position) of \(name)")
            try require(copy(hub), equals: page.entries, "the copy")
        }
    }
}
