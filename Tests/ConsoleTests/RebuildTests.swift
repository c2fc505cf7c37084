import EventSourcing
import EventStore
import System
import Testing
import Vocabulary

@testable import Host

@Suite("Rebuild of views", .serialized)
struct RebuildTests {
    private static let events = 4_000

    private func verdicts(_ outcome: RebuildOutcome) -> [String: ViewComparison.Verdict] {
        guard case .compared(_, let tables) = outcome else {
            Issue.record("not compared: \(outcome)")
            return [:]
        }
        return Dictionary(uniqueKeysWithValues: tables.map { ($0.table, $0.verdict) })
    }

    @Test(arguments: Workshop.Storage.allCases)
    func `a rebuild that is paused at every page, beside a working service, gives tables equal to the live ones`(
        storage: Workshop.Storage
    ) throws {
        let shop = try Workshop(storage)
        let (core, _) = try shop.start(Tally.self, Tally())
        try shop.work(core, events: Self.events)
        let head = core.log.head
        var pauses: [Position] = []
        var outcome: RebuildOutcome
        repeat {
            let from = pauses.last ?? 0
            outcome = try shop.rebuild(Tally.self).run { position, _ in position < from + 700 }
            guard case .paused(let position, _) = outcome else { break }
            #expect(position > from)
            pauses.append(position)
            // The service does not know of the rebuild, and continues.
            if pauses.count == 2 {
                #expect(core.log.head == head)
                #expect(try shop.reading().head() == head)
                try shop.work(core, events: 100)
            }
        } while pauses.count < 100
        let live = try core.tables.digests()
        #expect(verdicts(outcome) == ["tally": .equal, "intake": .equal, "parked": .equal, "held": .equal])
        #expect(try shop.viewStore.look(at: .next)?.digests() == live)
        #expect(try shop.fromNothing(Tally.self) == live)
        print("\(storage): \(core.log.head.position) entries, paused \(pauses.count) times, \(live.count) tables equal")
        #expect(pauses.count >= 4)
    }

    @Test(arguments: Workshop.Storage.allCases)
    func `a rebuild that omits an own or foreign event differs in the comparison`(storage: Workshop.Storage) throws {
        let shop = try Workshop(storage)
        let (core, _) = try shop.start(Tally.self, Tally())
        try shop.work(core, events: 200)
        #expect(verdicts(try shop.rebuild(SkippingTally.self).run { _, _ in true })["tally"] == .different)
        try shop.viewStore.remove(.next)
        let losing = Rebuild<Tally>(
            of: shop.feed, in: shop.viewStore, reading: shop.reading,
            pulling: { feed, after, last in
                try shop.pull(feed, after, last).filter { $0.position != 7 }
            })
        #expect(verdicts(try losing.run { _, _ in true })["tally"] == .different)
        try shop.viewStore.remove(.next)
        #expect(verdicts(try shop.rebuild(Tally.self).run { _, _ in true })["tally"] == .equal)
    }

    @Test(arguments: Workshop.Storage.allCases)
    func `a rebuild stops at a missing or damaged entry`(storage: Workshop.Storage) throws {
        let shop = try Workshop(storage)
        let (core, _) = try shop.start(Tally.self, Tally())
        try shop.work(core, events: 200)
        let reading = shop.reading
        for twist in [Twisted.Twist.leavesOut, .flips] {
            try shop.viewStore.remove(.next)
            let rebuild = Rebuild<Tally>(
                of: shop.feed, in: shop.viewStore, reading: { Twisted(try reading(), twist) }, pulling: shop.pull)
            #expect {
                _ = try rebuild.run { _, _ in true }
            } throws: {
                "\($0)".contains("breaks at 50")
            }
        }
    }

    @Test(arguments: Workshop.Storage.allCases)
    func `views of another build are used by its first start, and the former ones by the old build`(
        storage: Workshop.Storage
    ) throws {
        let shop = try Workshop(storage)
        var worked: Position = 0
        do {
            let (core, _) = try shop.start(Tally.self, Tally())
            try shop.work(core, events: 500)
            #expect(
                verdicts(try shop.rebuild(WideTally.self).run { _, _ in true })
                    == ["tally": .changed, "whole": .added, "intake": .equal, "parked": .equal, "held": .equal])
            try shop.viewStore.move(.next, to: .ready)
            worked = core.log.head.position
            try shop.work(core, events: 50)
        }
        do {
            // The old build starts once more: the prepared views are not of its schema.
            let (core, from) = try shop.start(Tally.self, Tally())
            #expect(from == core.log.head.position && core.tables.taken == nil)
        }
        do {
            let (core, from) = try shop.start(WideTally.self, WideTally())
            // It only projected later events.
            #expect(from == worked && core.tables.taken == .ready)
            #expect(try core.tables.digests() == shop.fromNothing(WideTally.self))
            #expect(try shop.viewStore.look(at: .ready) == nil)
            try shop.work(core, events: 50)
        }
        let (core, from) = try shop.start(Tally.self, Tally())
        #expect(from > worked && from < core.log.head.position && core.tables.taken == .previous)
        #expect(try core.tables.digests() == shop.fromNothing(Tally.self))
    }

    @Test(arguments: Workshop.Storage.allCases)
    func `views of the same build are switched to and back, only complete ones`(storage: Workshop.Storage) throws {
        let shop = try Workshop(storage)
        func start(_ expected: ViewGeneration?) throws {
            let (core, _) = try shop.start(Tally.self, Tally())
            #expect(core.tables.taken == expected)
            try shop.work(core, events: 60)
            #expect(try core.tables.digests() == shop.fromNothing(Tally.self))
        }
        try start(nil)
        // Views that are not marked as ready are not used.
        _ = try shop.rebuild(Tally.self).run { position, _ in position == 0 }
        try start(nil)
        #expect(try shop.viewStore.look(at: .next) != nil)
        _ = try shop.rebuild(Tally.self).run { _, _ in true }
        try shop.viewStore.move(.next, to: .ready)
        try start(.ready)
        try start(nil)
        try shop.viewStore.move(.previous, to: .ready)
        try start(.ready)
        #expect(try shop.viewStore.look(at: .previous) != nil)
    }

    @Test(arguments: Workshop.Storage.allCases)
    func `views of another version of the same columns may differ, and a start rebuilds them if needed`(
        storage: Workshop.Storage
    ) throws {
        let shop = try Workshop(storage)
        do {
            let (core, _) = try shop.start(Tally.self, Tally())
            try shop.work(core, events: 200)
            #expect(verdicts(try shop.rebuild(SecondTally.self).run { _, _ in true })["tally"] == .changed)
            try shop.viewStore.remove(.next)
        }
        do {
            let (core, from) = try shop.start(SecondTally.self, SecondTally())
            #expect(from == 0 && core.tables.taken == nil)
            #expect(try core.tables.digests() == shop.fromNothing(SecondTally.self))
        }
    }

    @Test func `prepared views are live in the end after a kill at any step of the switch`() throws {
        for steps in 1...2 {
            let shop = try Workshop(.sqlite)
            do {
                let (core, _) = try shop.start(Tally.self, Tally())
                try shop.work(core, events: 100)
                _ = try shop.rebuild(WideTally.self).run { _, _ in true }
            }
            try shop.viewStore.move(.next, to: .taken)
            if steps == 2 { try shop.viewStore.move(.live, to: .previous) }
            let (core, from) = try shop.start(WideTally.self, WideTally())
            #expect(from == core.log.head.position)
            #expect(try core.tables.digests() == shop.fromNothing(WideTally.self))
            #expect(try shop.viewStore.look(at: .previous) != nil && shop.viewStore.look(at: .taken) == nil)
        }
    }
}

/// A reader of a damaged journal.
final class Twisted: LogReader {
    enum Twist { case leavesOut, flips }

    private let reader: any LogReader
    private let twist: Twist

    init(_ reader: any LogReader, _ twist: Twist) {
        self.reader = reader
        self.twist = twist
    }

    func head() throws(LogFailure) -> Head { try reader.head() }
    func hash(at position: Position) throws(LogFailure) -> [UInt8]? { try reader.hash(at: position) }
    func position(of id: UUID) throws(LogFailure) -> Position? { try reader.position(of: id) }

    func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        var page = try reader.read(from: position, events: events, bytes: bytes)
        guard let place = page.firstIndex(where: { $0.position == 50 }) else { return page }
        switch twist {
        case .leavesOut: page.remove(at: place)
        case .flips:
            var bytes = page[place].bytes
            bytes[bytes.count / 2] ^= 1
            page[place] = Entry(position: 50, hash: page[place].hash, bytes: bytes)
        }
        return page
    }
}
