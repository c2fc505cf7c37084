import Crypto
import EventSourcing
import EventStore
import JSON
import Postgres
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// An audit believes that something was let go where the journal says so, and nowhere else.
@Suite("What was let go")
struct LetGoTests {
    private static let now = Instant(microseconds: 1_780_000_000_000_000)
    private static let feed = "sensor-ingest/farm-0"
    private let origin = Origin(service: "sensor-ingest", site: "farm", slot: 0)

    private final class Pages: Walk {
        private var rest: ArraySlice<Entry>

        init(_ entries: [Entry]) {
            rest = entries[...]
        }

        func next() -> Entry? { rest.popFirst() }
    }

    /// A journal of twelve events and what it says of itself.
    private func journal(_ feed: String = feed, telling pruned: [JournalPruned]) throws -> [Entry] {
        let log = try MemoryLog(feed: feed, why: "test", at: Self.now, chance: .seeded(7))
        for number in 1..<12 {
            _ = try log.stage(Commit([Draft(Noted(number), in: "a", by: .service("test"))]), at: Self.now)
        }
        for one in pruned {
            _ = try log.stage(Commit([Draft(one, in: "prunings", by: .service("test"))]), at: Self.now)
        }
        try log.commit()
        return try log.reader().read(from: 1, events: 100, bytes: .max)
    }

    private func emptied(_ entries: [Entry], _ positions: [Position]) -> [Entry] {
        entries.map { positions.contains($0.position) ? Entry(position: $0.position, hash: $0.hash, bytes: []) : $0 }
    }

    /// What one walk through a hub tells that has these entries in this order, some without bytes.
    private func mirrors(_ entries: [Entry], empty: [Position]) throws -> Mirrors {
        var mirrors = Mirrors()
        var hash = Chain.start(feed: "hub", epoch: Epoch(7))
        for (index, entry) in entries.enumerated() {
            hash = Chain.next(after: hash, entry.bytes)
            let position = Position(index + 1)
            try mirrors.add(
                Entry(position: position, hash: hash, bytes: empty.contains(position) ? [] : entry.bytes))
        }
        return mirrors
    }

    private func sentence(_ places: String) -> String {
        let they = places.hasSuffix("is") ? "it was" : "they were"
        return "\(places) empty, and nothing in the journal says that \(they) let go"
    }

    @Test func `is what the journal itself says was let go`() throws {
        let pruned = JournalPruned(first: 2, last: 9, positions: [3, 4, 5, 9])
        let told = try journal(telling: [pruned])
        for (empty, flaw) in [
            ([], nil), ([3, 4, 5, 9], nil), ([4], nil),
            ([3, 4, 6], sentence("position 6 of \(Self.feed) is")),
            ([3, 6, 7, 8, 10], sentence("positions 6–8 of \(Self.feed) are")),
        ] as [([Position], String?)] {
            var places = EmptyPlaces()
            for entry in emptied(told, empty) {
                if entry.isPruned { places.add(entry.position) }
                if entry.position == 13 { places.explain(pruned, toldAt: 13) }
            }
            #expect(places.count == empty.count && places.flaw(of: Self.feed) == flaw)
            // The hub has it from the same journal.
            let hub = try mirrors(told, empty: empty)
            #expect(hub.flaw == flaw && hub.letGo == empty.count && hub.isWaiting == (flaw != nil))
            #expect(hub[origin].position == 13)
        }
        // Nothing that comes after it, and nothing by what another journal says.
        let later = try journal(telling: [JournalPruned(first: 8, last: 20, positions: [9, 14]), pruned])
        #expect(try mirrors(later, empty: [9]).flaw == nil)
        #expect(try mirrors(later, empty: [13]).flaw == sentence("position 13 of \(Self.feed) is"))
        let other = try journal("sensor-ingest/farm-1", telling: [pruned])
        let both = try other + journal(telling: [])
        #expect(try mirrors(both, empty: [16]).flaw == sentence("position 3 of \(Self.feed) is"))
    }

    @Test func `is told of many runs, whichever journal the hub has it from`() throws {
        let one = try journal(telling: [JournalPruned(first: 2, last: 9, positions: [3, 8])])
        let two = try journal(
            "sensor-ingest/farm-1",
            telling: [
                JournalPruned(first: 1, last: 4, positions: [4]), JournalPruned(first: 5, last: 12, positions: [5]),
            ])
        // In turns, as they come.
        var both: [Entry] = []
        for index in 0..<14 { both += [one, two].compactMap { index < $0.count ? $0[index] : nil } }
        let empty = both.indices.filter { index in
            index.isMultiple(of: 2) ? [3, 8].contains(index / 2 + 1) : [4, 5].contains(index / 2 + 1)
        }.map { Position($0 + 1) }
        #expect(empty.count == 4)
        let hub = try mirrors(both, empty: empty)
        #expect(hub.flaw == nil && hub.letGo == 4 && !hub.isWaiting)
        // An event that the hub never had leaves no empty place.
        let less = both.enumerated().filter { $0.offset != 8 }.map(\.element)
        #expect(try mirrors(less, empty: []).flaw == "\(Self.feed) has no entries 5–5 in it")
        // One empty place more than journals lack.
        let more = Array(both[..<10]) + [Entry(position: 0, hash: [], bytes: [1])] + Array(both[10...])
        #expect(try mirrors(more, empty: [11]).flaw == "1 of its places are empty that belong to no journal")
    }

    @Test func `is no part of what is folded anew, and that it was let go is news`() throws {
        let told = try journal(telling: [
            JournalPruned(first: 2, last: 9, positions: [3, 4]), JournalPruned(first: 10, last: 12),
        ])
        let ledger = Origin(service: "trace-ledger", site: "farm", slot: 0)
        let hub = emptied(told, [3, 4])
        let walk = MirrorWalk(Pages(hub), of: ledger, as: Mirrors()[ledger], keepingOthers: true)
        #expect(try walk.next() == nil)
        #expect(walk.others(of: Self.feed, through: 99).map(\.position) == [2, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        let own = try MirrorWalk(Pages(hub), of: origin, as: mirrors(told, empty: [3, 4])[origin])
        var positions: [Position] = []
        while let entry = try own.next() { positions.append(entry.position) }
        #expect(positions == [1, 2] + Array(5...14))
    }

    /// A hub that has let go events of one journal, and its signed tree.
    private struct Shown {
        let conninfo: String
        let reader: HubReader
        let signer: HubSigner
        let positions: [Position]

        init() throws {
            let cluster = try PostgresCluster.shared.get()
            let name = "t_\(Hex.encode(Random.bytes(8)))"
            try Connection(cluster.conninfo).execute("CREATE DATABASE \(name)")
            conninfo = cluster.conninfo(database: name)
            let log = try HubLog(conninfo, feed: "trace-ledger/farm-0", why: "test", at: LetGoTests.now)
            let other = try MemoryLog(feed: LetGoTests.feed, why: "test", at: LetGoTests.now)
            for number in 1..<700 {
                _ = try other.stage(Commit([Draft(Noted(number), in: "a", by: .service("test"))]), at: LetGoTests.now)
            }
            try other.commit()
            try log.take(Page(head: other.head, entries: other.reader().read(from: 1, events: 700, bytes: .max)))
            try log.prune(LetGoTests.feed, (Position(2)...690).filter { $0 % 5 == 0 })
            try log.commit()
            signer = try HubSigner()
            try log.publish(checkpoint: signer.note(size: log.tree.size, root: log.tree.root), size: log.tree.size)
            reader = try HubReader(conninfo)
            positions = try reader.read(from: 1, events: 1_000, bytes: .max).filter(\.isPruned).map(\.position)
        }

        /// As the ledger answers.
        func answer(_ verb: String, _ body: [UInt8], signedBy key: NoteKey? = nil) throws -> Answer {
            let json = try JSONValue.parse(body)
            switch verb {
            case "entries":
                let entries = try reader.ledgerEntries(from: json.get("first"), count: json.get("count"))
                return .made { $0.field("entries", entries.map { String(decoding: $0.bytes, as: UTF8.self) }) }
            case "tile":
                let tile = try reader.tile(
                    MerkleTile.Address(level: json.get("level"), index: json.get("index"), width: json.get("width")))
                return .made { $0.field("hashes", BaseEncoding.base64.encode(tile ?? [])) }
            case "checkpoint":
                let note = try reader.latestCheckpoint() ?? ""
                return .made { $0.field("checkpoint", note) }
            default:
                return .made { json in
                    json.field(
                        "checkpointKeys",
                        array: { json in
                            json.object { $0.field("vkey", (key ?? signer.keys[0]).vkey) }
                        })
                }
            }
        }

        /// What an audit finds of all that has no bytes.
        func flaw(signedBy key: NoteKey? = nil) throws -> String? {
            var tree = TreeAudit { verb, body in
                do {
                    return try answer(verb, body, signedBy: key)
                } catch let failure as LogFailure {
                    return Problem(503, "storage", "it cannot read its storage (\(failure.operation))").answer
                }
            }
            for position in positions { try tree.add(Entry(position: position, hash: [], bytes: [])) }
            return tree.flaw
        }

        func change(_ sql: String) throws {
            try Connection(conninfo).execute(
                """
                ALTER TABLE hub.entry DISABLE TRIGGER USER; ALTER TABLE hub.entry DROP CONSTRAINT IF EXISTS let_go;
                \(sql)
                """)
        }
    }

    @Test func `is what the hub's signed tree says it was`() throws {
        let shown = try Shown()
        #expect(shown.positions.count == 138)
        #expect(try shown.flaw() == nil)
        let stranger = try #require(try HubSigner().keys.first)
        #expect(try shown.flaw(signedBy: stranger)?.contains("is not signed by the ledger") == true)
        let columns = try Connection(shown.conninfo).query(
            """
            SELECT column_name::text FROM information_schema.columns
            WHERE table_schema = 'hub' AND table_name = 'entry'
            """
        ).compactMap { if case .text(let name)? = $0.first { name } else { nil } }
        // What the log's entry of an event without bytes is made of; the others are told by chains, or by nothing.
        let others = Set(["id", "originhash", "hash", "salt", "bytes"])
        var caught = 0
        for column in Set(columns).subtracting(others).sorted() {
            for place in [shown.positions[3], shown.positions[137]] {
                let changed = column == "commitment" ? "sha256(commitment)" : "\(column) + 100000"
                let kept = "CREATE TABLE kept AS SELECT * FROM hub.entry WHERE hubpos = \(place);"
                try shown.change("\(kept) UPDATE hub.entry SET \(column) = \(changed) WHERE hubpos = \(place)")
                let flaw = try shown.flaw()
                print("let go: \(column) of \(place) changed: \(flaw ?? "not told")")
                if flaw != nil { caught += 1 }
                try shown.change(
                    """
                    DELETE FROM hub.entry WHERE hubpos IN (\(place), \(place + 100_000));
                    INSERT INTO hub.entry SELECT * FROM kept; DROP TABLE kept
                    """)
            }
        }
        #expect(caught == 10 && columns.count == 10)
        #expect(try shown.flaw() == nil)
        // No commitment where there are no bytes, and one where there are.
        for (sql, undo) in [
            ("commitment = NULL WHERE hubpos = \(shown.positions[5])", nil),
            ("commitment = sha256('x') WHERE hubpos = 2", "commitment = NULL WHERE hubpos = 2"),
        ] as [(String, String?)] {
            try shown.change("UPDATE hub.entry SET \(sql)")
            #expect(try shown.flaw()?.contains("cannot be read") == true, "\(sql)")
            if let undo { try shown.change("UPDATE hub.entry SET \(undo)") }
        }
    }
}
