import EventSourcing
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Console

/// The audit of the hub's log, tree and signed checkpoints.
@Suite("The audit of the hub's Merkle tree")
struct TreeAuditTests {
    /// Columns that other checks cover, because the log's entries do not contain them.
    private static let others = ["entry": Set(["id", "originhash", "hash"])]

    @Test func `an audit finds every changed value of tiles, checkpoints and the log's entries`() throws {
        let shown = try ShownHub()
        let sound = try shown.audited()
        #expect(shown.positions.count == 138 && sound.flaw == nil && sound.count == 2)
        var (changed, caught) = (0, 0)
        let rows = [
            ("entry", ["hubpos = \(shown.positions[3])", "hubpos = \(shown.positions[137])", "hubpos = 2"]),
            ("tile", ["(level, index) = (0, 1)", "(level, index) = (1, 0)"]),
            ("checkpoint", ["size = 301", "size = 701"]),
        ]
        for (table, places) in rows {
            for (column, type) in try shown.columns(of: table)
            where Self.others[table]?.contains(column) != true {
                for place in places where place != "hubpos = 2" || column != "commitment" {
                    // A pruned event has no bytes.
                    if column == "bytes", place != "hubpos = 2" { continue }
                    let value =
                        switch type {
                        case "bytea": "set_byte(\(column), 3, 255 - get_byte(\(column), 3))"
                        case "text":
                            // Replaces one letter by a different one.
                            """
                            overlay(\(column) PLACING CASE substr(\(column), length(\(column)) - 9, 1)
                            WHEN 'x' THEN 'y' ELSE 'x' END FROM length(\(column)) - 9 FOR 1)
                            """
                        default: "\(column) + 100000"
                        }
                    // The salt of an event without bytes is not used.
                    if column == "salt", place != "hubpos = 2" { continue }
                    try shown.change(
                        """
                        CREATE TABLE kept AS SELECT * FROM hub.\(table);
                        UPDATE hub.\(table) SET \(column) = \(value) WHERE \(place)
                        """)
                    let flaw = try shown.audited().flaw
                    print("tree: \(table).\(column) where \(place): \(flaw ?? "not told")")
                    changed += 1
                    if flaw != nil { caught += 1 }
                    try shown.change(
                        "DELETE FROM hub.\(table); INSERT INTO hub.\(table) SELECT * FROM kept; DROP TABLE kept")
                }
            }
        }
        #expect(caught == changed && changed >= 26)
        #expect(try shown.audited().flaw == nil)
    }

    @Test func `an audit of a tree names every damaged entry and tile, and continues after them`() throws {
        // given a log of which two entries and a hash of a tile were changed
        let shown = try ShownHub()
        let (first, second) = (shown.positions[3], shown.positions[100])
        try shown.change(
            """
            UPDATE hub.entry SET commitment = sha256('x') WHERE hubpos IN (\(first), \(second));
            UPDATE hub.tile SET hashes = set_byte(hashes, 32 * 99 + 3, 255 - get_byte(hashes, 32 * 99 + 3))
            WHERE (level, index) = (0, 0)
            """)
        // when it is audited
        let audit = try shown.audited()
        // then each is named, with what of it was signed, and both checkpoints still hold
        print("tree: \(audit.flaws.sentences)")
        #expect(first < 256 && second > 256 && second < 512)
        #expect(audit.flaws.count == 3 && audit.count == 2)
        for place in [first, second] {
            #expect(audit.flaws.sentences.contains("the log's entry \(place) differs from what was signed"))
        }
        #expect(audit.flaws.sentences.contains { $0.contains("has another hash of entry 100 than") })
    }

    @Test func `an audit rejects a wrong or missing commitment, and a checkpoint of another key`() throws {
        let shown = try ShownHub()
        for (sql, undo) in [
            ("commitment = sha256('x') WHERE hubpos = 2", "commitment = NULL WHERE hubpos = 2"),
            ("commitment = NULL WHERE hubpos = \(shown.positions[5])", nil),
        ] as [(String, String?)] {
            try shown.change("UPDATE hub.entry SET \(sql)")
            #expect(try shown.audited().flaw?.contains("cannot be read") == true, "\(sql)")
            if let undo { try shown.change("UPDATE hub.entry SET \(undo)") }
        }
        let other = try ShownHub()
        let strangers = try HubSigner().keys
        #expect(try other.audited(signedBy: strangers).flaw?.contains("is not signed by the ledger") == true)
        // Each signature is required.
        let half = [other.signer.keys[0], strangers[1]]
        #expect(try other.audited(signedBy: half).flaw?.contains("is not signed by the ledger") == true)
        // A restored ledger has new keys: earlier checkpoints are only checked against the root.
        #expect(try other.audited(signedBy: strangers, restored: 701).flaw == nil)
        #expect(try other.audited(signedBy: strangers, restored: 100).flaw?.contains("is not signed") == true)
        #expect(try other.audited(signedBy: half, restored: 701).flaw?.contains("is not signed") == true)
        // A position without bytes must be covered by a signed checkpoint.
        try other.change("DELETE FROM hub.checkpoint")
        #expect(try other.audited().flaw == "\(other.positions[137]) is in no tree that was signed")
    }
}
