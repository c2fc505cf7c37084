import EventSourcing
import EventStore
import HubStore
import TestKit
import Testing

@Suite("Lost connections of a hub")
struct HubLossTests {
    /// Covers both ways of committing: a small commit is one round trip, a large one begins with COPY.
    @Test(arguments: [1, 200])
    func `a commit whose response is lost fails and is found when the hub reopens`(count: Int) throws {
        let database = try HubDatabase()
        let line = try LosingLine(to: PostgresCluster.shared.get().folder)
        var log = try HubLog(
            line.conninfo(database.conninfo), feed: HubDatabase.feed, why: "test", at: HubDatabase.clock)
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 500)
        try Self.stage(count, in: log)
        try log.take(barn.page(from: 1, events: count))
        line.loseNextCommit()
        let failure = #expect(throws: LogFailure.self) { try log.commit() }
        #expect(failure?.operation == "commit" && failure?.isFull == false)
        Self.expectNothingMore(of: log)
        let (head, hubHead, feeds) = (log.head, log.hubHead, log.feeds())
        // The server committed, but its response was lost.
        log = try database.open()
        #expect(log.head == head && log.hubHead == hubHead && log.feeds() == feeds)
        try log.take(barn.page(from: 1))
        try Self.stage(3, in: log)
        try log.commit()
        #expect(try log.originReader(barn.feed).whole() == barn.page(from: 1).entries)
        #expect(try log.reader().whole().count == 1 + count + 3)
        #expect(try log.hubReader().whole().count == 1 + count + 3 + 501)
    }

    @Test(arguments: [1, 200])
    func `a commit that did not reach the server leaves no entries`(count: Int) throws {
        let database = try HubDatabase()
        var log = try database.open()
        let (head, hubHead) = (log.head, log.hubHead)
        try Self.stage(count, in: log)
        try database.killAll()
        #expect(throws: LogFailure.self) { try log.commit() }
        Self.expectNothingMore(of: log)
        log = try database.open()
        #expect(log.head == head && log.hubHead == hubHead)
        #expect(try log.reader().whole().count == 1)
    }

    @Test func `a hub refuses all operations after a failed lookup`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        try database.killAll()
        #expect(throws: LogFailure.self) { try log.version(of: "note/a") }
        Self.expectNothingMore(of: log)
    }

    @Test func `a hub reader reconnects after its connection is lost`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        try Self.stage(5, in: log)
        try log.commit()
        let (hub, own) = (try HubReader(database.conninfo), try log.reader())
        for _ in 0..<3 {
            try database.killAll()
            #expect(try hub.whole().count == 6 && own.whole().count == 6)
        }
    }

    private static func stage(_ count: Int, in log: HubLog) throws {
        for number in 0..<count {
            let draft = Draft(Noted(number), in: "note/\(number % 9)", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: HubDatabase.clock)
        }
    }

    private static func expectNothingMore(of log: HubLog) {
        let draft = Draft(Noted(0), in: "note/a", by: .service("test"))
        #expect(throws: StageError.self) { try log.stage(Commit([draft]), at: HubDatabase.clock) }
        #expect(throws: LogFailure.self) { try log.commit() }
        #expect(throws: LogFailure.self) { try log.version(of: "note/a") }
        #expect(throws: MirrorRefusal.self) {
            try log.take(ForeignJournal("sensor-ingest/barn-0", events: 3).page(from: 1))
        }
        #expect(throws: LogFailure.self) { try log.publish(checkpoint: "", size: 1) }
    }
}
