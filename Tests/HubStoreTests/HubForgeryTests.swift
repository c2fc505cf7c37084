import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

/// The changes that an attacker with full access to the hub's database makes.
private enum Forgery: CaseIterable {
    case deleted, swapped, inserted, rewritten, hashRewritten, moved, headCut, chainRewritten

    /// Whether the hash chain shows the change. If not, only the tree of the signed checkpoint does.
    var breaksChain: Bool { self != .headCut && self != .chainRewritten }

    /// Returns SQL that satisfies the table's constraints: no two rows have the same position.
    func sql(at place: Int, of events: Int) -> String {
        let next = place % (events - 1) + 1
        let other = "set_byte(bytes, octet_length(bytes) - 3, get_byte(bytes, octet_length(bytes) - 3) # 1)"
        return switch self {
        case .deleted: "DELETE FROM hub.entry WHERE hubpos = \(place)"
        case .swapped:
            """
            UPDATE hub.entry SET hubpos = -1 WHERE hubpos = \(place);
            UPDATE hub.entry SET hubpos = \(place) WHERE hubpos = \(next);
            UPDATE hub.entry SET hubpos = \(next) WHERE hubpos = -1
            """
        case .inserted:
            """
            UPDATE hub.entry SET hubpos = -hubpos - 1 WHERE hubpos >= \(place);
            UPDATE hub.entry SET hubpos = -hubpos WHERE hubpos < 0;
            INSERT INTO hub.entry SELECT \(place), origin, epoch, pos, id, sha256(originhash), hash, salt, bytes
            FROM hub.entry WHERE hubpos = 1
            """
        case .rewritten: "UPDATE hub.entry SET bytes = \(other) WHERE hubpos = \(place)"
        case .hashRewritten: "UPDATE hub.entry SET hash = sha256(hash) WHERE hubpos = \(place)"
        case .moved: "UPDATE hub.entry SET hubpos = \(events + 7) WHERE hubpos = \(place)"
        case .headCut: "DELETE FROM hub.entry WHERE hubpos >= \(place)"
        // Recomputes every hash from the position on, as a forger who knows the chain would.
        case .chainRewritten:
            """
            UPDATE hub.entry SET bytes = \(other) WHERE hubpos = \(place);
            DO $$ DECLARE before bytea; BEGIN
                SELECT hash INTO before FROM hub.entry WHERE hubpos = \(place - 1);
                FOR place IN \(place)..\(events) LOOP
                    UPDATE hub.entry SET hash = sha256(before || bytes) WHERE hubpos = place RETURNING hash INTO before;
                END LOOP;
            END $$
            """
        }
    }
}

/// F08: every change of an entry in the hub is detected, even if a database superuser makes it.
@Suite("Forged hubs")
struct HubForgeryTests {
    private static let events = 60

    /// Writes entries of the ledger's own journal and of another one, and publishes a signed checkpoint for them.
    private func made(_ database: HubDatabase, signing signer: HubSigner) throws {
        let log = try database.open()
        try log.take(ForeignJournal("sensor-ingest/barn-0", events: 29).page(from: 1))
        for number in 0..<Self.events - 31 {
            let draft = Draft(Noted(number, "x"), in: "note/\(number % 3)", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: HubDatabase.clock)
        }
        try log.commit()
        let tree = log.tree
        try log.publish(checkpoint: signer.note(size: tree.size, root: tree.root), size: tree.size)
    }

    /// Returns the first position at which the chain is broken, and whether the entries give the root that was signed.
    private func read(_ reader: HubReader, _ signer: HubSigner) throws -> (broken: Position?, isSigned: Bool) {
        let start = try #require(try reader.hash(at: 0))
        let entries = try reader.read(from: 1, events: 1_000, bytes: 16 << 20)
        let note = try SignedNote(try #require(try reader.latestCheckpoint()))
        #expect(try note.verified(by: signer.keys) == signer.keys)
        let checkpoint = try #require(LogCheckpoint(note.text))
        var tiles = MerkleTiles()
        let leaves = try reader.ledgerEntries(from: 1, count: 256).map(\.leaf)
        for leaf in leaves.prefix(Int(checkpoint.size)) { tiles.append(leaf: leaf) }
        let isSigned = leaves.count >= Int(checkpoint.size) && tiles.root == checkpoint.root
        return (Chain.firstBreak(in: entries, after: start, at: 0), isSigned)
    }

    @Test func `every forgery breaks the hub's hash chain or contradicts the signed tree`() throws {
        let (database, signer) = (try HubDatabase(), try HubSigner())
        try made(database, signing: signer)
        let forger = try database.connect()
        try forger.execute(
            "ALTER TABLE hub.entry DISABLE TRIGGER USER; CREATE TABLE kept AS SELECT * FROM hub.entry")
        let reader = try HubReader(database.conninfo)
        var counts: [Forgery: Int] = [:]
        var (missed, byTreeAlone): ([String], Int) = ([], 0)
        for forgery in Forgery.allCases {
            for place in 2..<Self.events - 1 {
                try forger.execute(forgery.sql(at: place, of: Self.events))
                let (broken, isSigned) = try read(reader, signer)
                let isFound = forgery.breaksChain ? broken == Position(place) : broken == nil && !isSigned
                if !isFound { missed.append("\(forgery) at \(place): \(broken.map { "\($0)" } ?? "nothing")") }
                if broken == nil && !isSigned { byTreeAlone += 1 }
                counts[forgery, default: 0] += 1
                try forger.execute("DELETE FROM hub.entry; INSERT INTO hub.entry SELECT * FROM kept")
            }
        }
        let (broken, isSigned) = try read(reader, signer)
        #expect(broken == nil && isSigned)
        let total = counts.values.reduce(0, +)
        print(
            """
            forgeries of a hub: \(total) of \(counts.count) kinds, \(missed.count) not detected; \(byTreeAlone) by the \
            signed tree alone
            """)
        #expect(missed.prefix(5) == [])
        #expect(total >= 450 && counts.count == Forgery.allCases.count && byTreeAlone >= 100)
    }
}
