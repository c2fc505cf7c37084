import Crypto
import EventSourcing
import EventStore
import HubStore
import JSON
import Postgres
import TestKit
import Vocabulary
import Wire

@testable import Console

/// A hub with pruned events of one journal and two signed checkpoints, and a stand-in for its ledger.
struct ShownHub {
    static let now = Instant(microseconds: 1_780_000_000_000_000)
    static let feed = "sensor-ingest/farm-0"

    let conninfo: String
    let signer: HubSigner
    let positions: [Position]
    private let reader: HubReader

    init() throws {
        let cluster = try PostgresCluster.shared.get()
        let name = "t_\(Hex.encode(Random.bytes(8)))"
        try Connection(cluster.conninfo).execute("CREATE DATABASE \(name)")
        conninfo = cluster.conninfo(database: name)
        let log = try HubLog(conninfo, feed: "trace-ledger/farm-0", why: "test", at: Self.now)
        let other = try MemoryLog(feed: Self.feed, why: "test", at: Self.now)
        for number in 1..<700 {
            _ = try other.stage(Commit([Draft(Noted(number), in: "a", by: .service("test"))]), at: Self.now)
        }
        try other.commit()
        signer = try HubSigner()
        for events in [300, 700] {
            try log.take(Page(head: other.head, entries: other.reader().read(from: 1, events: events, bytes: .max)))
            try log.commit()
            try log.publish(checkpoint: signer.note(size: log.tree.size, root: log.tree.root), size: log.tree.size)
        }
        try log.prune(Self.feed, (Position(2)...690).filter { $0 % 5 == 0 })
        try log.commit()
        reader = try HubReader(conninfo)
        positions = try reader.read(from: 1, events: 1_000, bytes: .max).filter(\.isPruned).map(\.position)
    }

    /// Returns the response of the ledger to a request.
    private func answer(_ query: LedgerQueryName, _ body: [UInt8], signedBy keys: [NoteKey]) throws -> Response {
        let json = try JSONValue.parse(body)
        switch query {
        case .entries:
            let entries = try reader.ledgerEntries(from: json.get("first"), count: json.get("count"))
            return .made { $0.field("entries", entries.map { String(decoding: $0.bytes, as: UTF8.self) }) }
        case .tile:
            let tile = try reader.tile(
                MerkleTile.Address(level: json.get("level"), index: json.get("index"), width: json.get("width")))
            return .made { $0.field("hashes", BaseEncoding.base64.encode(tile ?? [])) }
        case .checkpoints:
            let checkpoints = try reader.checkpoints(after: json.get("after"))
            return .made { json in
                json.field(
                    "checkpoints",
                    array: { json in
                        for (size, note) in checkpoints {
                            json.object { json in
                                json.field("size", size)
                                json.field("checkpoint", note)
                            }
                        }
                    })
            }
        default:
            return .made { json in
                json.field(
                    "checkpointKeys",
                    array: { json in
                        json.object { $0.field("vkey", keys[0].vkey) }
                        json.object { json in
                            json.field("name", keys[1].name)
                            json.field("spki", BaseEncoding.base64.encode(keys[1].publicKey))
                        }
                    })
            }
        }
    }

    /// Returns the audit of the hub's tree.
    func audited(signedBy keys: [NoteKey]? = nil, restored: Position = 0) throws -> TreeAudit {
        var tree = TreeAudit { query, body in
            do {
                return try answer(query, body, signedBy: keys ?? signer.keys)
            } catch let failure as LogFailure {
                return Problem(503, "storage", "it cannot read its storage (\(failure.operation))").answer
            }
        }
        let empty = Set(positions)
        for position in Position(1)...701 {
            try tree.add(Entry(position: position, hash: [], bytes: empty.contains(position) ? [] : [1]))
        }
        try tree.end(at: 701, restored: restored)
        return tree
    }

    func change(_ sql: String) throws {
        try Connection(conninfo).execute(
            """
            ALTER TABLE hub.entry DISABLE TRIGGER USER; ALTER TABLE hub.entry DROP CONSTRAINT IF EXISTS let_go;
            ALTER TABLE hub.checkpoint DISABLE TRIGGER USER;
            \(sql)
            """)
    }

    /// Returns the names and types of a table's columns.
    func columns(of table: String) throws -> [(name: String, type: String)] {
        try Connection(conninfo).query(
            """
            SELECT column_name::text, data_type::text FROM information_schema.columns
            WHERE table_schema = 'hub' AND table_name = '\(table)' ORDER BY column_name
            """
        ).compactMap { row in
            if case .text(let name) = row[0], case .text(let type) = row[1] { (name, type) } else { nil }
        }
    }
}
