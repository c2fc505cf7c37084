import EventSourcing
import EventStore
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

@testable import HubStore

/// Changes each column of the hub's tables in turn, as an operator with SQL could. A mutant that verifies only the
/// chain must miss some of the changes.
@Suite("Index verification of the hub")
struct HubIndexTests {
    /// The columns that the signed tree covers, and the hub's epoch, which witnesses compare.
    private static let signed: Set<String> = [
        "meta.epoch",
        "entry.salt", "entry.commitment", "tile.level", "tile.index", "tile.hashes", "checkpoint.size",
        "checkpoint.note",
    ]

    /// Returns a hub that mirrors two journals. Events of one are pruned; the other was accepted again from position
    /// 40.
    private func hub(_ database: HubDatabase) throws -> HubLog {
        let log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 99)
        let shop = try ForeignJournal("catalog-orders/farm-0", events: 49)
        try log.take(barn.page(from: 1))
        try log.take(shop.page(from: 1))
        try log.prune(barn.feed, [10, 11, 20])
        let kept = try #require(try shop.page(from: 40, events: 1).entries.first)
        let accepted = FollowAccepted(
            feed: shop.feed, epoch: shop.head.epoch, keptTo: 40, keptHash: Hex.encode(kept.hash), left: 10)
        _ = try log.stage(Commit([Draft(accepted, in: "follow", by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
        try log.accept(shop.feed, keptTo: 40, hash: kept.hash)
        for number in 0..<5 {
            let key = IdempotencyKey(actor: "grower:anna", key: "k\(number)", digest: [UInt8(number)])
            let draft = Draft(Noted(number, "asked"), in: "asked/\(number)", by: .service("test"))
            _ = try log.stage(
                Commit([draft], answer: (key, Response(status: 201, body: [UInt8(number)]))), at: HubDatabase.clock)
        }
        try log.commit()
        return log
    }

    /// Returns what `indexFlaw` reports for the hub, or the error if it cannot be read; nil if the index is intact.
    private func flaw(_ database: HubDatabase) -> String? {
        do throws(LogFailure) {
            return try HubReader(database.conninfo).indexFlaw { _ in true }
        } catch {
            return "\(error)"
        }
    }

    private func isChainWhole(_ database: HubDatabase) -> Bool {
        do {
            _ = try HubReader(database.conninfo).whole()
            return true
        } catch {
            return false
        }
    }

    @Test func `index verification of the hub detects a change in any column, also where its chain does not`() throws {
        let database = try HubDatabase()
        let log = try hub(database)
        #expect(flaw(database) == nil && isChainWhole(database))
        let forger = try database.connect()
        try forger.execute(
            "ALTER TABLE hub.entry DISABLE TRIGGER USER; ALTER TABLE hub.entry DROP CONSTRAINT let_go")
        var changes = ColumnChanges()
        for row in try forger.query(
            """
            SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
            WHERE table_schema = 'hub' ORDER BY 1, 2
            """)
        {
            guard case .text(let table) = row[0], case .text(let column) = row[1], case .text(let type) = row[2],
                !Self.signed.contains("\(table).\(column)")
            else { continue }
            let changed =
                switch type {
                case "bytea": "sha256(\(column) || 'x')"
                case "text": "\(column) || 'x'"
                default: "\(column) + 1000003"
                }
            try forger.execute("CREATE TABLE kept AS SELECT * FROM hub.\(table)")
            for part in [0.0, 0.5, 1.0] {
                let places = try forger.query(
                    "SELECT ctid::text FROM hub.\(table) WHERE \(table == "entry" ? Self.full : "true")")
                guard case .text(let place) = places[Int(part * Double(places.count - 1))][0] else { continue }
                try forger.execute("UPDATE hub.\(table) SET \(column) = \(changed) WHERE ctid = '\(place)'")
                changes.record(
                    "\(table).\(column)", flaw: flaw(database), isChainWhole: isChainWhole(database))
                try forger.execute("DELETE FROM hub.\(table); INSERT INTO hub.\(table) SELECT * FROM kept")
            }
            try forger.execute("DROP TABLE kept")
        }
        #expect(flaw(database) == nil && isChainWhole(database))
        print("a hub: \(changes)")
        #expect(changes.missed == [] && changes.reaches(columns: 26))
        try log.commit()
    }

    /// Selects the entries that are not pruned: the id of a pruned event cannot be verified.
    private static let full = "octet_length(bytes) > 0"

    @Test func `the stored responses of an older hub get checksums when it is opened`() throws {
        let database = try HubDatabase()
        do { _ = try hub(database) }
        try database.connect().execute(
            "ALTER TABLE hub.answer DROP COLUMN sum; UPDATE hub.meta SET format = 1, created = now()::text")
        let log = try database.crash()
        #expect(flaw(database) == nil)
        let key = IdempotencyKey(actor: "grower:anna", key: "k3", digest: [3])
        #expect(try log.recall(key) == .answered(Response(status: 201, body: [3])))
        try database.connect().execute("UPDATE hub.answer SET status = 500 WHERE key = 'k3'")
        #expect(try database.crash().recall(key) == .damaged)
        #expect(flaw(database)?.contains("grower:anna") == true)
    }
}
