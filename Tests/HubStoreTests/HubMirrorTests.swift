import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("Mirrored journals")
struct HubMirrorTests {
    @Test func `the hub mirrors interleaved journals in one order`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let (barn, shop) = (
            try ForeignJournal("sensor-ingest/barn-0", events: 400),
            try ForeignJournal("catalog-orders/farm-0", events: 300)
        )
        var chance = SplitMix64(seed: 7)
        var (next, nextShop): (Position, Position) = (1, 1)
        while next <= barn.head.position || nextShop <= shop.head.position {
            let page = try barn.page(from: next, events: Int.random(in: 0...40, using: &chance))
            try log.take(page)
            next += Position(page.entries.count)
            let draft = Draft(Noted(Int(next)), in: "note/own", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: HubDatabase.clock)
            let other = try shop.page(from: nextShop, events: Int.random(in: 0...40, using: &chance))
            try log.take(other)
            nextShop += Position(other.entries.count)
            if Bool.random(using: &chance) { try log.commit() }
        }
        try log.commit()
        #expect(log.feeds() == [shop.head, barn.head, log.head])
        let hub = try log.hubReader()
        #expect(try hub.head() == log.hubHead)
        let all = try hub.whole()
        #expect(Position(all.count) == barn.head.position + shop.head.position + log.head.position)
        for origin in [barn.head, shop.head, log.head] {
            let reader = try log.originReader(origin.feed)
            #expect(try reader.head() == origin)
            let entries = try reader.whole()
            #expect(Position(entries.count) == origin.position)
            // The hub preserves the order of each origin.
            let inHub = try all.filter {
                try EnvelopeCodec.read($0.bytes).envelope.origin.description == origin.feed
            }
            #expect(inHub.map(\.bytes) == entries.map(\.bytes))
        }
        #expect(try log.originReader(barn.feed).whole() == barn.page(from: 1).entries)
        print("mirror: checked \(all.count) entries of 3 origins")
    }

    @Test func `a hub that restarts continues to mirror at its last committed position`() throws {
        let database = try HubDatabase()
        var log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 700)
        for start in stride(from: Position(1), through: 701, by: 100) {
            try log.take(barn.page(from: start, events: 100))
            if start % 200 == 1 { try log.commit() }
            let committed = try HubReader(database.conninfo).head()
            log = try database.crash()
            #expect(log.hubHead == committed)
            let position = log.feeds().first { $0.feed == barn.feed }?.position ?? 0
            try log.take(barn.page(from: position + 1, events: Int(start + 99 - position)))
            try log.commit()
        }
        #expect(log.feeds() == [barn.head, log.head])
        #expect(try log.hubReader().whole().count == 702)
    }

    @Test func `the hub refuses a page that leaves a gap and ignores entries that it has`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 60)
        #expect(throws: MirrorRefusal.hole(2)) { try log.take(barn.page(from: 2)) }
        try log.take(barn.page(from: 1, events: 20))
        let before = log.hubHead
        #expect(throws: MirrorRefusal.hole(22)) { try log.take(barn.page(from: 22)) }
        let page = try barn.page(from: 15)
        let torn = Page(head: page.head, entries: Array(page.entries.prefix(10) + page.entries.dropFirst(11)))
        #expect(throws: MirrorRefusal.hole(26)) { try log.take(torn) }
        try log.take(barn.page(from: 1, events: 20))
        try log.take(barn.page(from: 5, events: 3))
        #expect(log.hubHead == before)
        try log.take(page)
        try log.commit()
        #expect(log.feeds().first { $0.feed == barn.feed } == barn.head)
        #expect(try log.originReader(barn.feed).whole().count == 61)
    }

    @Test func `the hub refuses entries of another history`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 30)
        let other = try ForeignJournal("sensor-ingest/barn-0", events: 60)
        try log.take(barn.page(from: 1, events: 20))
        let before = log.hubHead
        // Either the overlap or the first new entry shows the other history.
        #expect(throws: MirrorRefusal.diverged(20)) { try log.take(other.page(from: 10)) }
        #expect(throws: MirrorRefusal.diverged(21)) { try log.take(other.page(from: 21)) }
        var entries = try barn.page(from: 21).entries
        var bytes = entries[3].bytes
        bytes[40] ^= 1
        entries[3] = Entry(position: entries[3].position, hash: entries[3].hash, bytes: bytes)
        #expect(throws: MirrorRefusal.diverged(24)) { try log.take(Page(head: barn.head, entries: entries)) }
        // The chain of a journal starts with the hash of its name, so it does not fit under another name.
        let page = try other.page(from: 1)
        let renamed = Head(feed: "sensor-ingest/barn-9", epoch: page.head.epoch, position: 61, hash: page.head.hash)
        #expect(throws: MirrorRefusal.diverged(1)) { try log.take(Page(head: renamed, entries: page.entries)) }
        #expect(log.hubHead == before)
        try log.take(barn.page(from: 21))
        try log.commit()
        #expect(try log.originReader(barn.feed).whole() == barn.page(from: 1).entries)
    }

    @Test func `the hub accepts no mirrored entries for its own journal`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let double = try ForeignJournal(HubDatabase.feed, events: 5)
        #expect(throws: MirrorRefusal.diverged(1)) { try log.take(double.page(from: 1)) }
        let reader = try log.reader()
        try log.take(Page(head: log.head, entries: reader.whole()))
        #expect(log.hubHead.position == 1)
    }

    @Test func `the hub mirrors entries whose bytes it cannot decode`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let feed = "sensor-ingest/barn-0"
        let epoch = Epoch(7)
        var hash = Chain.start(feed: feed, epoch: epoch)
        let entries = [[0xFF, 0], Array("{}".utf8), [UInt8](repeating: 0x5B, count: 65_000)].enumerated().map {
            index, bytes in
            hash = Chain.next(after: hash, bytes)
            return Entry(position: Position(index + 1), hash: hash, bytes: bytes)
        }
        try log.take(Page(head: Head(feed: feed, epoch: epoch, position: 3, hash: hash), entries: entries))
        try log.commit()
        #expect(try log.originReader(feed).whole() == entries)
        #expect(log.feeds().first?.epoch == epoch)
    }

    @Test func `the hub mirrors a restored journal after an operator accepts it`() throws {
        let database = try HubDatabase()
        var log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 30)
        try log.take(barn.page(from: 1))
        try log.commit()
        // The journal was restored to position 20 and continued in a new epoch.
        let kept = try barn.page(from: 1, events: 20).entries
        let epoch = Epoch(99)
        var restored = kept
        for number in 21...45 {
            let envelope = Envelope(
                id: UUID.named("\(number)", in: .furrow),
                origin: Origin(service: "sensor-ingest", site: "barn", slot: 0),
                epoch: epoch, position: Position(number), name: Noted.name, stream: "note/a", version: 1,
                time: HubDatabase.clock, recorded: HubDatabase.clock, farm: nil, actor: .service("test"),
                correlation: nil, causation: nil)
            let bytes = EnvelopeCodec.write(envelope, Noted(number))
            let hash = Chain.next(after: restored[number - 2].hash, bytes)
            restored.append(Entry(position: Position(number), hash: hash, bytes: bytes))
        }
        let head = Head(feed: barn.feed, epoch: epoch, position: 45, hash: restored[44].hash)
        let earlier = try barn.page(from: 1, events: 31).entries
        #expect(throws: MirrorRefusal.diverged(31)) { try log.take(Page(head: head, entries: restored)) }
        #expect(throws: MirrorRefusal.diverged(20)) { try log.accept(barn.feed, keptTo: 20, hash: restored[20].hash) }
        #expect(throws: MirrorRefusal.hole(32)) { try log.accept(barn.feed, keptTo: 32, hash: restored[31].hash) }
        try log.accept(barn.feed, keptTo: 20, hash: kept[19].hash)
        log = try database.crash()
        try log.take(Page(head: head, entries: restored))
        try log.commit()
        let reader = try log.originReader(barn.feed)
        #expect(try reader.head() == head)
        #expect(try reader.whole() == restored)
        #expect(try reader.hash(at: 25) == restored[24].hash)
        #expect(try reader.position(of: UUID.named("25", in: .furrow)) == 25)
        // Both histories are still readable, each in its own order.
        let place = Checkpoint(epoch: Epoch(1), position: 28, hash: earlier[27].hash)
        #expect(try log.originReader(barn.feed).history(from: 5, through: place) == Array(earlier[4..<28]))
        let later = Checkpoint(epoch: epoch, position: 28, hash: restored[27].hash)
        #expect(try log.originReader(barn.feed).history(from: 5, through: later) == Array(restored[4..<28]))
        let never = Checkpoint(epoch: epoch, position: 28, hash: [1])
        #expect(try log.originReader(barn.feed).history(from: 5, through: never).isEmpty)
        // Nothing that was mirrored earlier is lost.
        #expect(try log.hubReader().whole().count == 31 + 25 + 1)
        log = try database.crash()
        #expect(log.feeds().first { $0.feed == barn.feed } == head)
    }

    @Test func `the hub mirrors pages that exceed its staging memory`() throws {
        let database = try HubDatabase()
        var log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 400, size: 40_000)
        for start in stride(from: Position(1), through: 401, by: 50) {
            try log.take(barn.page(from: start, events: 50))
        }
        #expect(try log.hubReader().head().position == 1)
        try log.commit()
        #expect(try log.originReader(barn.feed).whole() == barn.page(from: 1, events: 1_000).entries)
        let page = try log.hubReader().read(from: 10, events: 512, bytes: 256 * 1024)
        #expect(page.count == 7)
        log = try database.crash()
        #expect(log.hubHead.position == 402)
    }
}
