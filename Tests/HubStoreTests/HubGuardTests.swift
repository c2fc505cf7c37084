import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing
import Vocabulary

@Suite("Hub guards")
struct HubGuardTests {
    @Test(arguments: [
        "UPDATE hub.entry SET bytes = '\\x00' WHERE hubpos = 1", "DELETE FROM hub.entry", "TRUNCATE hub.entry",
        "SET session_replication_role = replica; DELETE FROM hub.entry WHERE hubpos = 1",
        "DELETE FROM hub.checkpoint",
    ])
    func `the hub's triggers refuse to change or delete entries`(sql: String) throws {
        let database = try HubDatabase()
        let log = try database.open()
        let error = #expect(throws: PostgresError.self) { try database.connect().execute(sql) }
        #expect(error?.message.contains("only grows") == true)
        #expect(try log.reader().whole().count == 1)
    }

    @Test func `a second ledger cannot open a hub that is in use`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let failure = #expect(throws: LogFailure.self) { _ = try database.open(patience: 0) }
        #expect(failure?.message == "another ledger writes this hub")
        _ = try log.stage(Commit([Draft(Noted(1), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
    }

    @Test func `a hub refuses to open for another ledger or with a newer format`() throws {
        let database = try HubDatabase()
        do { _ = try database.open() }
        let failure = #expect(throws: LogFailure.self) {
            try HubLog(database.conninfo, feed: "trace-ledger/other-0", why: "test", at: HubDatabase.clock)
        }
        #expect(failure?.message.contains(HubDatabase.feed) == true)
        #expect(throws: LogFailure.self) {
            try HubLog(database.conninfo, feed: "nonsense", why: "test", at: HubDatabase.clock)
        }
        try database.connect().execute("UPDATE hub.meta SET format = 99")
        let newer = #expect(throws: LogFailure.self) { try database.open() }
        #expect(newer?.message.contains("newer Furrow") == true)
    }

    @Test(arguments: ["fsync=off", "full_page_writes=off"])
    func `a hub refuses a server that does not sync its commits`(setting: String) throws {
        let database = try HubDatabase(in: PostgresCluster([setting]))
        let failure = #expect(throws: LogFailure.self) { try database.open() }
        #expect(failure?.message.contains("does not sync") == true)
    }

    @Test func `a hub turns synchronous commits on for its own connection`() throws {
        let database = try HubDatabase()
        try database.connect().execute("ALTER DATABASE \(database.name) SET synchronous_commit = off")
        let log = try database.open()
        _ = try log.stage(Commit([Draft(Noted(1), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
    }

    /// Each statement changes one of the newest rows. The next start must fail and name what does not fit.
    @Test(arguments: [
        ("UPDATE hub.entry SET bytes = bytes || '\\x20' WHERE hubpos = 40", "chain"),
        ("UPDATE hub.entry SET hash = sha256('x') WHERE hubpos = 40", "chain"),
        ("UPDATE hub.entry SET originhash = sha256('x') WHERE hubpos = 39 AND origin = 1", "chain"),
        ("UPDATE hub.feed SET hash = sha256('x') WHERE origin = 1", "end"),
        ("UPDATE hub.entry SET salt = sha256('x') WHERE hubpos = 30", "checkpoint"),
        ("DELETE FROM hub.entry WHERE hubpos >= 41", "end"),
    ])
    func `a hub refuses to open if its newest rows were changed`(sql: String, word: String) throws {
        let database = try HubDatabase()
        var log: HubLog? = try database.open()
        for number in 1...40 {
            let draft = Draft(Noted(number), in: "note/a", by: .service("test"))
            _ = try log?.stage(Commit([draft]), at: HubDatabase.clock)
        }
        try log?.commit()
        let signer = try HubSigner()
        let tree = try #require(log?.tree)
        try log?.publish(checkpoint: signer.note(size: tree.size, root: tree.root), size: tree.size)
        log = nil
        do { _ = try database.open() }
        try database.connect().execute("ALTER TABLE hub.entry DISABLE TRIGGER USER; \(sql)")
        let failure = #expect(throws: LogFailure.self) { try database.open() }
        #expect(failure?.message.contains(word) == true, "\(failure?.message ?? "")")
    }
}
