import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("Hub snapshots")
struct HubSnapshotTests {
    @Test func `a restored hub equals its snapshot and has no later entries`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let foreign = try ForeignJournal("sensor-ingest/farm-0", events: 700, size: 900)
        try log.take(foreign.page(from: 1))
        try log.take(foreign.page(from: 513))
        try log.commit()
        var isLocked = false
        let snapshot = try HubSnapshot(database.conninfo) {
            // While the snapshot's callback runs, the ledger cannot commit.
            let other = try database.connect()
            let refused = #expect(throws: PostgresError.self) {
                try other.execute("SET lock_timeout = 50; DELETE FROM hub.entry WHERE false")
            }
            isLocked = refused?.code == "55P03"
        }
        #expect(isLocked, "a commit was possible")
        let head = log.hubHead
        let more = try ForeignJournal("sensor-ingest/farm-1", events: 5)
        try log.take(more.page(from: 1))
        try log.commit()
        #expect(snapshot.head == head && log.hubHead.position > head.position)
        #expect(snapshot.feeds.contains(foreign.head) && !snapshot.feeds.contains { $0.feed == more.feed })

        var dump: [String: [[UInt8]]] = [:]
        for table in HubDump.tables { try snapshot.copyOut(table) { dump[table, default: []].append($0) } }
        var chain = HubDumpChain(after: snapshot.start)
        for piece in dump["entry"] ?? [] { try chain.take(piece) }
        try chain.end(at: snapshot.head)

        let other = try HubDatabase()
        try HubDump.restore(other.conninfo) { table in
            dump[table]?.isEmpty == false ? dump[table]?.removeFirst() ?? [] : []
        }
        let restored = try other.open()
        #expect(restored.hubHead == head && restored.feeds().contains(foreign.head))
        try restored.beginEpoch(why: "restored", at: HubDatabase.clock)
        _ = try restored.hubReader().whole()
        #expect(throws: LogFailure.self) { try HubDump.restore(other.conninfo) { _ in [] } }
        print("hub: \(head.position) entries dumped, followed and restored")
    }

    @Test func `a dump with a broken chain, a truncated end or extra bytes is refused`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let foreign = try ForeignJournal("sensor-ingest/farm-0", events: 20)
        try log.take(foreign.page(from: 1))
        try log.commit()
        let snapshot = try HubSnapshot(database.conninfo) {}
        var dump: [UInt8] = []
        try snapshot.copyOut("entry") { dump += $0 }
        func follow(_ bytes: [UInt8], in pieces: Int = 7) throws {
            var chain = HubDumpChain(after: snapshot.start)
            var rest = bytes[...]
            while !rest.isEmpty {
                try chain.take(Array(rest.prefix(pieces)))
                rest = rest.dropFirst(pieces)
            }
            try chain.end(at: snapshot.head)
        }
        try follow(dump)
        var other = dump
        other[dump.count - 60] ^= 1
        #expect(throws: LogFailure.self) { try follow(other) }
        #expect(throws: LogFailure.self) { try follow(dump.dropLast(2)) }
        #expect(throws: LogFailure.self) { try follow(dump.dropLast(100)) }
        #expect(throws: LogFailure.self) { try follow(dump + [0, 9]) }
        #expect(throws: LogFailure.self) { try follow([]) }
    }

    @Test func `a backup fails if the hub has a table that backups do not cover`() throws {
        let database = try HubDatabase()
        _ = try database.open()
        _ = try HubSnapshot(database.conninfo) {}
        try database.connect().execute("CREATE TABLE hub.later(n int)")
        #expect(throws: LogFailure.self) { try HubSnapshot(database.conninfo) {} }
    }
}
