import Crypto
import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

/// What a mirrored journal has let go the hub lets go, and nothing that was proven stops being so.
@Suite("A hub that lets go")
struct HubPruningTests {
    @Test(arguments: MirrorContract.checks) func `keeps the contract in memory`(check: MirrorContract.Check)
        async throws
    {
        try await check.run(
            MirrorHarness(
                create: { now in try MemoryHub(feed: HubDatabase.feed, why: "test", at: now) },
                crash: { log, _ in
                    guard let log = log as? MemoryHub else { throw ContractBreach("not a hub in memory") }
                    return try log.crash()
                }))
    }

    @Test(arguments: MirrorContract.checks) func `keeps the contract in Postgres`(check: MirrorContract.Check)
        async throws
    {
        var databases: [HubDatabase] = []
        try await check.run(
            MirrorHarness(
                create: { now in
                    databases.append(try HubDatabase())
                    return try databases[databases.count - 1].open(at: now)
                },
                crash: { _, now in try databases[databases.count - 1].crash(at: now) }))
    }

    @Test(arguments: MirrorMutant.allCases) func `and does it wrongly breaks a clause`(mutant: MirrorMutant)
        async throws
    {
        var broken: [String] = []
        for check in MirrorContract.checks {
            do {
                try await check.run(mutant.harness)
            } catch {
                broken.append("\(check)")
            }
        }
        print("\(mutant) breaks \(broken.count) of \(MirrorContract.checks.count): \(broken)")
        #expect(!broken.isEmpty)
    }

    private static let feed = "sensor-ingest/barn-0"
    private static let events = 700
    private static let positions = (Position(1)...650).filter { $0 % 3 != 1 }

    /// A hub with a signed checkpoint over all that it mirrors.
    private func mirrored(in database: HubDatabase) throws -> HubLog {
        let log = try database.open()
        let barn = try ForeignJournal(Self.feed, events: Self.events)
        for start in stride(from: Position(1), through: 701, by: 100) {
            try log.take(barn.page(from: start, events: 100))
        }
        try log.commit()
        try log.publish(checkpoint: HubSigner().note(size: log.tree.size, root: log.tree.root), size: log.tree.size)
        return log
    }

    /// How many entries are proven in the tree of this root, of those that the hub has.
    private func proven(_ database: HubDatabase, in root: [UInt8], size: UInt64) throws -> Int {
        let reader = try HubReader(database.conninfo)
        return try (1...size).count { position in
            guard let found = try reader.entry(position),
                let path = try reader.proof(forHubPosition: position, size: size)
            else { return false }
            return MerkleProof.includes(
                leaf: found.entry.leaf, index: position - 1, size: size, path: path, root: root)
        }
    }

    @Test func `proves everything as before`() throws {
        let database = try HubDatabase()
        var log = try mirrored(in: database)
        let (size, root) = log.tree
        let reader = try HubReader(database.conninfo)
        let before = try stride(from: Position(1), through: size, by: 256).flatMap {
            try reader.ledgerEntries(from: $0, count: 256)
        }
        try log.prune(Self.feed, Self.positions)
        try log.commit()
        log = try database.crash()
        #expect(log.tree == (size, root))
        let after = try stride(from: Position(1), through: size, by: 256).flatMap {
            try reader.ledgerEntries(from: $0, count: 256)
        }
        #expect(after == before && Position(after.count) == size)
        let count = try proven(database, in: root, size: size)
        let empty = try (1...size).count { try reader.entry($0)?.bytes.isEmpty == true }
        print("a hub that lets go: \(count) of \(size) entries proven, \(empty) of them without bytes")
        #expect(count == Int(size) && empty == Self.positions.count)
        // What comes later is a leaf of the same tree.
        _ = try log.stage(Commit([Draft(Noted(1), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
        #expect(try reader.consistency(from: size, to: log.tree.size) != nil)
    }

    @Test func `proves what was let go before it came by its hash`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let page = try ForeignJournal(Self.feed, events: 299).page(from: 1)
        let entries = page.entries.map { entry in
            entry.position % 3 == 0 ? Entry(position: entry.position, hash: entry.hash, bytes: []) : entry
        }
        try log.take(Page(head: page.head, entries: entries))
        try log.prune(Self.feed, entries.filter(\.isPruned).map(\.position))
        try log.commit()
        #expect(try proven(database, in: log.tree.root, size: log.tree.size) == 301)
        #expect(try database.crash().tree.root == log.tree.root)
        let reader = try HubReader(database.conninfo)
        for entry in entries where entry.isPruned {
            let found = try #require(try reader.entry(entry.position + 1))
            #expect(found.entry.commitment == LedgerEntry.commitment(salt: found.salt, event: entry.hash))
        }
    }

    /// By whoever may write the hub's tables and takes its guards away.
    @Test(arguments: [
        "commitment = sha256('x')", "commitment = sha256(salt)", "pos = 9999", "epoch = 1",
    ])
    func `shows an entry that was changed as another one`(change: String) throws {
        let database = try HubDatabase()
        let log = try mirrored(in: database)
        let (size, root) = log.tree
        try log.prune(Self.feed, Self.positions)
        try log.commit()
        try database.connect().execute(
            """
            ALTER TABLE hub.entry DISABLE TRIGGER USER;
            UPDATE hub.entry SET \(change) WHERE hubpos = 100 AND octet_length(bytes) = 0
            """)
        #expect(try proven(database, in: root, size: size) == Int(size) - 1)
    }

    @Test(arguments: [
        "UPDATE hub.entry SET commitment = NULL WHERE hubpos = 100",
        "UPDATE hub.entry SET commitment = sha256('x') WHERE hubpos = 101",
        "UPDATE hub.entry SET bytes = '' WHERE hubpos = 101",
        "UPDATE hub.entry SET bytes = 'x' WHERE hubpos = 100",
    ])
    func `has a commitment where it has no bytes, and nowhere else`(sql: String) throws {
        let database = try HubDatabase()
        let log = try mirrored(in: database)
        try log.prune(Self.feed, Self.positions)
        try log.commit()
        let reader = try HubReader(database.conninfo)
        #expect(try reader.entry(100)?.bytes.isEmpty == true && reader.entry(101)?.bytes.isEmpty == false)
        let error = #expect(throws: PostgresError.self) {
            try database.connect().execute("ALTER TABLE hub.entry DISABLE TRIGGER USER; \(sql)")
        }
        #expect(error?.message.contains("let_go") == true)
        // And where even that was taken away no entry is made of it.
        try database.connect().execute(
            "ALTER TABLE hub.entry DISABLE TRIGGER USER; ALTER TABLE hub.entry DROP CONSTRAINT let_go; \(sql)")
        #expect(throws: LogFailure.self) {
            _ = try reader.entry(100)
            _ = try reader.entry(101)
        }
    }

    @Test(arguments: [
        "bytes = ''", "bytes = '', commitment = sha256(bytes)", "bytes = 'x', commitment = sha256(salt || bytes)",
        "bytes = '', commitment = sha256(salt || bytes), hash = sha256('x')",
        "bytes = '', commitment = sha256(salt || bytes), id = '\\x00'",
    ])
    func `changes nothing else`(change: String) throws {
        let database = try HubDatabase()
        let log = try mirrored(in: database)
        let before = try log.hubReader().whole()
        func error(_ sql: String) -> String? {
            #expect(throws: PostgresError.self) { try database.connect().execute(sql) }?.message
        }
        #expect(error("UPDATE hub.entry SET \(change) WHERE hubpos = 100")?.contains("only grows") == true)
        let letGo = "UPDATE hub.entry SET bytes = '', commitment = sha256(salt || bytes) WHERE hubpos"
        // Nothing of the ledger's own journal, and nothing twice.
        #expect(error("\(letGo) = 1")?.contains("only grows") == true)
        #expect(error("\(letGo) = 100; \(letGo) = 100")?.contains("only grows") == true)
        #expect(try log.hubReader().whole() == before)
        try database.connect().execute("\(letGo) = 100")
        #expect(try log.hubReader().whole().count(where: \.isPruned) == 1)
    }

    @Test func `was made by a build that knew nothing of it`() throws {
        let database = try HubDatabase()
        do { _ = try mirrored(in: database) }
        let older = """
            DROP TRIGGER only_lets_go ON hub.entry; DROP FUNCTION hub.refuse_unless_let_go;
            ALTER TABLE hub.entry DROP COLUMN commitment; DROP TRIGGER only_grows ON hub.entry;
            CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON hub.entry
                FOR EACH STATEMENT EXECUTE FUNCTION hub.refuse();
            ALTER TABLE hub.entry ENABLE ALWAYS TRIGGER only_grows
            """
        try database.connect().execute(older)
        // Its backups have a column less.
        var dump: [String: [[UInt8]]] = [:]
        for table in HubDump.tables {
            let columns = table == "entry" ? "hubpos, origin, epoch, pos, id, originhash, hash, salt, bytes" : "*"
            try database.connect().copyOut("SELECT \(columns) FROM hub.\(table) ORDER BY 1") {
                dump[table, default: []].append($0)
            }
        }
        for _ in 0..<2 {
            let log = try database.crash()
            let before = log.tree
            try log.prune(Self.feed, Self.positions)
            try log.commit()
            #expect(try proven(database, in: before.root, size: before.size) == Int(before.size))
        }
        let other = try HubDatabase()
        try HubDump.restore(other.conninfo) { table in
            dump[table]?.isEmpty == false ? dump[table]?.removeFirst() ?? [] : []
        }
        let restored = try other.open()
        #expect(try restored.hubReader().whole().allSatisfy { !$0.isPruned })
        try restored.prune(Self.feed, Self.positions)
        try restored.commit()
        let snapshot = try HubSnapshot(other.conninfo) {}
        // Theirs has one more, and is restored the same.
        var chain = HubDumpChain(after: snapshot.start)
        dump = [:]
        for table in HubDump.tables { try snapshot.copyOut(table) { dump[table, default: []].append($0) } }
        for piece in dump["entry"] ?? [] { try chain.take(piece) }
        try chain.end(at: snapshot.head)
        let third = try HubDatabase()
        try HubDump.restore(third.conninfo) { table in
            dump[table]?.isEmpty == false ? dump[table]?.removeFirst() ?? [] : []
        }
        #expect(try third.open().hubReader().whole() == restored.hubReader().whole())
    }

    @Test func `takes the row that counts where following was taken back`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let barn = try ForeignJournal(Self.feed, events: 30)
        try log.take(barn.page(from: 1))
        try log.commit()
        let kept = try barn.page(from: 1, events: 20).entries
        try log.accept(Self.feed, keptTo: 20, hash: kept[19].hash)
        // It lives on otherwise.
        var anew = kept
        for number in 21...31 {
            let bytes = Array("{\"another\":\(number)}".utf8)
            anew.append(
                Entry(
                    position: Position(number), hash: Chain.next(after: anew[number - 2].hash, bytes), bytes: bytes))
        }
        let head = Head(feed: Self.feed, epoch: Epoch(99), position: 31, hash: anew[30].hash)
        try log.take(Page(head: head, entries: anew))
        try log.prune(Self.feed, [10, 25])
        try log.commit()
        let copy = try log.originReader(Self.feed).whole()
        #expect(copy.filter(\.isPruned).map(\.position) == [10, 25])
        let empty = try log.hubReader().whole().filter(\.isPruned).map(\.position)
        // Behind the ledger's own first entry and 31 of the first life.
        #expect(empty == [11, 32 + 5])
    }

    @Test func `lets a whole run go at once`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let barn = try ForeignJournal(Self.feed, events: 4_096, size: 500)
        for start in stride(from: Position(1), through: 4_097, by: 512) { try log.take(barn.page(from: start)) }
        try log.commit()
        let clock = ContinuousClock()
        let positions = Array(Position(2)...4_097)
        let first = try clock.measure {
            try log.prune(Self.feed, positions)
            try log.commit()
        }
        let again = try clock.measure {
            try log.prune(Self.feed, positions)
            try log.commit()
        }
        print("a hub that lets go: \(positions.count) entries in \(first), again in \(again)")
        #expect(try log.hubReader().whole().count(where: \.isPruned) == positions.count)
        // As many events as asked for, though none of them has bytes.
        #expect(try log.hubReader().read(from: 100, events: 512, bytes: 1_000).count == 512)
    }
}
