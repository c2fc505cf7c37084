import Crypto
import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

/// A hub prunes what a mirrored journal has pruned, and every proof stays valid.
@Suite("Pruning of a hub")
struct HubPruningTests {
    @Test(arguments: MirrorContract.checks)
    func `the in-memory hub satisfies the pruning contract of mirrors`(check: MirrorContract.Check) async throws {
        try await check.run(
            MirrorHarness(
                create: { now in try MemoryHub(feed: HubDatabase.feed, why: "test", at: now) },
                crash: { log, _ in
                    guard let log = log as? MemoryHub else { throw ContractBreach("not a hub in memory") }
                    return try log.crash()
                }))
    }

    @Test(arguments: MirrorContract.checks)
    func `the PostgreSQL hub satisfies the pruning contract of mirrors`(check: MirrorContract.Check) async throws {
        var databases: [HubDatabase] = []
        try await check.run(
            MirrorHarness(
                create: { now in
                    databases.append(try HubDatabase())
                    return try databases[databases.count - 1].open(at: now)
                },
                crash: { _, now in try databases[databases.count - 1].crash(at: now) }))
    }

    @Test(arguments: MirrorMutant.allCases)
    func `every broken hub fails a clause of the pruning contract`(mutant: MirrorMutant) async throws {
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

    /// Returns a hub with a signed checkpoint that covers all mirrored entries.
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

    /// Returns how many entries of the hub are proven by the tree with this root.
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

    @Test func `every entry is still proven after pruning`() throws {
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
        print("pruning of a hub: \(count) of \(size) entries proven, \(empty) of them without bytes")
        #expect(count == Int(size) && empty == Self.positions.count)
        // A later entry becomes a leaf of the same tree.
        _ = try log.stage(Commit([Draft(Noted(1), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
        #expect(try reader.consistency(from: size, to: log.tree.size) != nil)
    }

    @Test func `an entry that arrives pruned is committed to and proven by its hash`() throws {
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

    /// Each change is made by an attacker with write access to the hub's tables, after disabling their triggers.
    @Test(arguments: [
        "commitment = sha256('x')", "commitment = sha256(salt)", "pos = 9999", "epoch = 1",
    ])
    func `a pruned entry whose row was changed is no longer proven`(change: String) throws {
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
    func `a row holds either bytes or a commitment`(sql: String) throws {
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
        // Without the constraint, reading such a row throws.
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
    func `the hub's triggers allow nothing but pruning an entry of a mirrored journal`(change: String) throws {
        let database = try HubDatabase()
        let log = try mirrored(in: database)
        let before = try log.hubReader().whole()
        func error(_ sql: String) -> String? {
            #expect(throws: PostgresError.self) { try database.connect().execute(sql) }?.message
        }
        #expect(error("UPDATE hub.entry SET \(change) WHERE hubpos = 100")?.contains("only grows") == true)
        let prune = "UPDATE hub.entry SET bytes = '', commitment = sha256(salt || bytes) WHERE hubpos"
        // An entry of the ledger's own journal cannot be pruned, and no entry twice.
        #expect(error("\(prune) = 1")?.contains("only grows") == true)
        #expect(error("\(prune) = 100; \(prune) = 100")?.contains("only grows") == true)
        #expect(try log.hubReader().whole() == before)
        try database.connect().execute("\(prune) = 100")
        #expect(try log.hubReader().whole().count(where: \.isPruned) == 1)
    }

    @Test func `a hub and a dump in the older format can be opened, pruned and restored`() throws {
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
        // A dump in the older format has no `commitment` column.
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
        // A dump in the current format has the column, and is restored in the same way.
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

    @Test func `pruning after an accepted restore removes the entries of the current history`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let barn = try ForeignJournal(Self.feed, events: 30)
        try log.take(barn.page(from: 1))
        try log.commit()
        let kept = try barn.page(from: 1, events: 20).entries
        try log.accept(Self.feed, keptTo: 20, hash: kept[19].hash)
        // The journal continues with other events.
        var later = kept
        for number in 21...31 {
            let bytes = Array("{\"another\":\(number)}".utf8)
            later.append(
                Entry(
                    position: Position(number), hash: Chain.next(after: later[number - 2].hash, bytes), bytes: bytes))
        }
        let head = Head(feed: Self.feed, epoch: Epoch(99), position: 31, hash: later[30].hash)
        try log.take(Page(head: head, entries: later))
        try log.prune(Self.feed, [10, 25])
        try log.commit()
        let copy = try log.originReader(Self.feed).whole()
        #expect(copy.filter(\.isPruned).map(\.position) == [10, 25])
        let empty = try log.hubReader().whole().filter(\.isPruned).map(\.position)
        // After the ledger's own first entry and 31 entries of the former history.
        #expect(empty == [11, 32 + 5])
    }

    @Test func `a whole sealed run is pruned in one commit`() throws {
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
        print("pruning of a hub: \(positions.count) entries in \(first), again in \(again)")
        #expect(try log.hubReader().whole().count(where: \.isPruned) == positions.count)
        // A page has the requested number of entries, although none of them has bytes.
        #expect(try log.hubReader().read(from: 100, events: 512, bytes: 1_000).count == 512)
    }
}
