import EventSourcing
import EventStore
import Events
import JSON
import SQLite
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("The service runtime")
struct ServiceRuntimeTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    private func runtime(over log: (any EventLog)? = nil) throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(),
            log: try log ?? MemoryLog(feed: "counting/farm-0", why: "test", at: now),
            tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func ask(_ id: UInt64, _ verb: String, key: String?, body: String = "{}") -> Request {
        Request(
            id: id, verb: verb, body: Array(body.utf8), actor: .service("test"), key: key,
            entropy: Array(repeating: 0, count: 16))
    }

    private func replies(_ effects: [Effect]) -> [(id: UInt64, answer: Response)] {
        effects.compactMap { effect in
            if case .reply(let ask, let answer) = effect { (ask.id, answer) } else { nil }
        }
    }

    @Test func `no effect is released before its events are on the disk`() throws {
        let runtime = try runtime()
        let reader = try runtime.log.reader()
        let before = try reader.head().position
        try runtime.take(.asked(ask(1, "count", key: "a")), at: now)
        // The event is staged, not committed: readers do not see it, and no response was sent.
        #expect(try reader.head().position == before)
        let effects = try runtime.commit()
        #expect(try reader.head().position == before + 1)
        #expect(replies(effects).map(\.id) == [1])
    }

    @Test func `an event that is too large is left out and counted, those beside it are recorded`() throws {
        let runtime = try runtime()
        let before = runtime.log.head.position
        let large = String(repeating: "x", count: EventLimits.eventBytes)
        let drafts = [CountingService.report("ble:01", 1), CountingService.report("ble:\(large)", 2)]
        try runtime.append(drafts + [CountingService.report("ble:01", 3)], at: now)
        let notes = try runtime.commit().compactMap { if case .note(let note) = $0 { note } else { nil } }
        #expect(notes == [OperatorEvent("appends_refused", labels: ["reason": "too-large"])])
        #expect(runtime.log.head.position == before + 2)
        #expect(runtime.tables.get(CountRow.self, "ble:01")?.count == 2)
    }

    @Test func `an input sees the decisions on the inputs before it in the same commit`() throws {
        let runtime = try runtime()
        for id in 1...3 { try runtime.take(.asked(ask(UInt64(id), "count", key: "k\(id)")), at: now) }
        let numbers = try replies(try runtime.commit()).map {
            try JSONValue.parse($0.answer.body).get("number", as: Int.self)
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `an idempotency key returns its stored response, and is refused for another request`() throws {
        let runtime = try runtime()
        try runtime.take(.asked(ask(1, "count", key: "a")), at: now)
        let first = replies(try runtime.commit())[0].answer
        let head = runtime.log.head.position
        try runtime.take(.asked(ask(2, "count", key: "a")), at: now)
        try runtime.take(.asked(ask(3, "count", key: "a", body: "{\"other\":1}")), at: now)
        let later = replies(try runtime.commit())
        #expect(later[0].answer == first)
        #expect(later[1].answer.status == 422)
        #expect(runtime.log.head.position == head)
    }

    @Test func `a stored response that was changed is not returned, and its command is not executed again`() throws {
        try withTemporaryDirectory { folder in
            func open() throws -> SQLiteLog {
                try SQLiteLog(directory: folder, feed: "counting/farm-0", why: "test", at: now)
            }
            do {
                let log = try open()
                let runtime = try runtime(over: log)
                try runtime.take(.asked(ask(1, "count", key: "a")), at: now)
                #expect(replies(try runtime.commit())[0].answer.status == 201)
                try log.close()
                let database = try Database(path: log.path, mode: .writer)
                try database.execute("UPDATE answer SET body = CAST('{\"number\":9}' AS BLOB)")
            }
            let runtime = try runtime(over: open())
            let head = runtime.log.head.position
            try runtime.take(.asked(ask(2, "count", key: "a")), at: now)
            let answer = replies(try runtime.commit())[0].answer
            #expect(answer.status == 409 && String(decoding: answer.body, as: UTF8.self).contains("answer-damaged"))
            #expect(runtime.log.head.position == head)
        }
    }

    @Test func `a refusal is stored under its idempotency key`() throws {
        let runtime = try runtime()
        try runtime.take(.asked(ask(1, "refuse", key: "r")), at: now)
        let first = replies(try runtime.commit())[0].answer
        try runtime.take(.asked(ask(2, "refuse", key: "r")), at: now)
        #expect(replies(try runtime.commit())[0].answer == first)
        #expect(first.status == 409)
    }

    @Test(arguments: [("fail", 503), ("be-early", 425), ("tell-too-much", 201)])
    func `a failure or a response above the message limit writes nothing, and its key can be used again`(
        verb: String, status: Int
    ) throws {
        let runtime = try runtime()
        let head = runtime.log.head.position
        try runtime.take(.asked(ask(1, verb, key: "f")), at: now)
        // The request server replaces a response that is too large.
        #expect(replies(try runtime.commit()).map(\.answer.status) == [status])
        #expect(runtime.log.head.position == head)
        try runtime.take(.asked(ask(2, "count", key: "f")), at: now)
        #expect(replies(try runtime.commit()).map(\.answer.status) == [201])
        #expect(runtime.log.head.position == head + 1)
    }

    @Test func `while the disk is full new commands are refused, but stored responses and queries are still served`()
        throws
    {
        let runtime = try runtime()
        try runtime.take(.asked(ask(1, "count", key: "a")), at: now)
        let first = replies(try runtime.commit())[0].answer
        let head = runtime.log.head.position
        runtime.refusal = Problem(507, "disk-full", "No room.")
        try runtime.take(.asked(ask(2, "count", key: "b")), at: now)
        try runtime.take(.asked(ask(3, "count", key: "a")), at: now)
        try runtime.take(.asked(ask(4, "refuse", key: nil)), at: now)
        let later = replies(try runtime.commit())
        #expect(later.map(\.answer.status) == [507, first.status, 409])
        #expect(later[1].answer == first)
        #expect(runtime.log.head.position == head)
        // The refusal was not stored under the command's key.
        runtime.refusal = nil
        try runtime.take(.asked(ask(5, "count", key: "b")), at: now)
        #expect(replies(try runtime.commit())[0].answer.status == first.status)
        #expect(runtime.log.head.position == head + 1)
    }

    @Test func `a page writes one checkpoint event if it has events to project, and none otherwise`() throws {
        let runtime = try runtime()
        let other = try MemoryLog(feed: "other/farm-0", why: "test", at: now)
        _ = try other.stage(
            Commit([CountingService.report("ble:07", 1), CountingService.report("ble:07", 2)]), at: now)
        try other.commit()
        let reader = try other.reader()
        let page = Page(head: other.head, entries: try reader.read(from: 1, events: 10, bytes: 100_000))
        try runtime.consume(page, at: now)
        _ = try runtime.commit()
        let own = try runtime.log.reader().read(from: 1, events: 100, bytes: 1_000_000)
        let facts = try own.map { try RecordedEvent(reading: $0.bytes).fact }
        let checkpointEvents = facts.compactMap { fact in
            if case .journal(.feedConsumed(let checkpointEvent)) = fact { checkpointEvent } else { nil }
        }
        #expect(checkpointEvents.count == 1)
        #expect(checkpointEvents.first?.first == 1)
        #expect(checkpointEvents.first?.last == 3)
        // The page has only an event of the other journal about itself, for which no entry is written.
        let quiet = Page(head: other.head, entries: Array(page.entries.prefix(1)))
        let head = runtime.log.head.position
        try runtime.consume(quiet, at: now)
        _ = try runtime.commit()
        #expect(runtime.log.head.position == head)
    }

    @Test func `a checkpoint event is written after many pages without events to project`() throws {
        let runtime = try runtime()
        // Its own events as the hub mirrors them.
        let own = try MemoryLog(feed: runtime.log.head.feed, why: "test", at: now)
        let count = 2 * HostLimits.eventsUnmarked + 1000
        for number in 1..<count { _ = try own.stage(Commit([CountingService.report("ble:07", number)]), at: now) }
        try own.commit()
        let hub = Head(feed: "hub", epoch: own.head.epoch, position: own.head.position, hash: own.head.hash)
        let reader = try own.reader()
        let head = runtime.log.head.position
        for first in stride(from: 1, through: count, by: 500) {
            let entries = try reader.read(from: Position(first), events: 500, bytes: 1 << 30)
            try runtime.consume(Page(head: hub, entries: entries), at: now)
            _ = try runtime.commit()
        }
        #expect(runtime.log.head.position == head + 2)
        let place = try #require(runtime.folding.checkpoint(of: "hub"))
        #expect(place.position + Position(HostLimits.eventsUnmarked) > hub.position && place.position <= hub.position)
        #expect(try reader.hash(at: place.position) == place.hash)
        // No own event was projected twice, and the last entry can be read again without a new checkpoint event.
        #expect(runtime.tables.get(CountRow.self, "ble:07") == nil)
        try runtime.consume(
            Page(head: hub, entries: try reader.read(from: hub.position, events: 1, bytes: 1 << 20)), at: now)
        _ = try runtime.commit()
        #expect(runtime.log.head.position == head + 2)
    }

    @Test func `an unreadable event is parked by the checkpoint event, and the rest of its page is applied`() throws {
        let runtime = try runtime()
        let other = try MemoryLog(feed: "other/farm-0", why: "test", at: now)
        _ = try other.stage(Commit([CountingService.report("ble:07", 1)]), at: now)
        try other.commit()
        var entries = try other.reader().read(from: 1, events: 10, bytes: 100_000)
        entries.append(Entry(position: 3, hash: entries[1].hash, bytes: Array("{\"no\":\"event\"}".utf8)))
        try runtime.consume(Page(head: other.head, entries: entries), at: now)
        _ = try runtime.commit()
        let row = runtime.tables.get(FeedCheckpointRow.self, "other/farm-0")
        #expect(row?.parked == 1 && row?.waiting == 0)
        #expect(runtime.tables.get(CountRow.self, "ble:07")?.count == 1)
    }
}
