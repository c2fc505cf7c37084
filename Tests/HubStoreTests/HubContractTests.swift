import EventSourcing
import EventStore
import HubStore
import TestKit
import Testing

@Suite("Event log contract of the hub")
struct HubContractTests {
    @Test(arguments: EventLogContract.checks)
    func `the hub satisfies the event log contract`(check: EventLogContract.Check) async throws {
        var databases: [HubDatabase] = []
        func last() throws -> HubDatabase { try #require(databases.last) }
        let harness = EventLogHarness(
            create: { now in
                let database = try HubDatabase()
                databases.append(database)
                return try database.open(at: now)
            },
            crash: { _, now in try last().crash(at: now) },
            readers: { _ in
                let conninfo = try last().conninfo
                return { try OriginReader(conninfo, feed: HubDatabase.feed) }
            })
        try await check.run(harness)
    }

    @Test func `a new epoch begins in the ledger's own journal and in the hub`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let draft = Draft(Noted(1), in: "note/a", by: .service("test"))
        _ = try log.stage(Commit([draft]), at: HubDatabase.clock)
        let (before, hubBefore) = (log.head, log.hubHead)
        try log.beginEpoch(why: "restored", at: HubDatabase.clock)
        #expect(log.head.epoch != before.epoch && log.head.position == before.position + 1)
        #expect(log.hubHead.epoch != hubBefore.epoch && log.hubHead.position == hubBefore.position + 1)
        let again = try database.crash()
        #expect(again.head == log.head && again.hubHead == log.hubHead)
        #expect(try again.hubReader().head() == log.hubHead)
        #expect(try again.hubReader().whole().count == 3)
        #expect(try again.reader().whole().count == 3)
    }
}
