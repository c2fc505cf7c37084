import EventSourcing
import EventStore
import Postgres
import Wire

/// Reads tiles, entries and checkpoints of the transparency log from the hub's tables, over any connection.
struct TransparencyLogReader {
    /// An entry of the log with the salt and bytes that open its commitment. The bytes of a pruned entry are empty.
    struct Opened {
        let entry: LedgerEntry
        let salt: [UInt8]
        let bytes: [UInt8]
    }

    let query: (String, [PGValue]) throws(LogFailure) -> [[PGValue]]

    init(_ query: @escaping (String, [PGValue]) throws(LogFailure) -> [[PGValue]]) {
        self.query = query
    }

    /// Returns the concatenated hashes of a tile: of the requested width, or fewer at the end of the log.
    ///
    /// A full tile is stored with the commit that completed it, so it is never computed.
    func tile(_ address: MerkleTile.Address) throws(LogFailure) -> [UInt8] {
        let rows = try query(
            "SELECT hashes FROM hub.tile WHERE level = $1 AND index = $2",
            [.integer(Int64(address.level)), .integer(Int64(clamping: address.index))])
        let wanted = address.width * MerkleTree.hashBytes
        if case .bytes(let hashes)? = rows.first?.first, hashes.count >= wanted { return Array(hashes.prefix(wanted)) }
        guard address.level == 0, address.width < MerkleTile.widthMax else { return [] }
        let first = address.index << 8 + 1
        return try entries(first...(first + UInt64(address.width) - 1)).flatMap(\.entry.leaf)
    }

    /// Returns log entries by hub position.
    func entries(_ range: ClosedRange<Position>) throws(LogFailure) -> [Opened] {
        let rows = try query(
            """
            SELECT e.hubpos, f.name, e.epoch, e.pos, e.salt, e.bytes, e.commitment
            FROM hub.entry e JOIN hub.feed f USING (origin)
            WHERE e.hubpos BETWEEN $1 AND $2 ORDER BY e.hubpos
            """,
            [.integer(Int64(clamping: range.lowerBound)), .integer(Int64(clamping: range.upperBound))])
        var opened: [Opened] = []
        opened.reserveCapacity(rows.count)
        for row in rows {
            guard row.count == 7, case .integer(let hub) = row[0], case .text(let name) = row[1],
                case .integer(let epoch) = row[2], case .integer(let position) = row[3],
                case .bytes(let salt) = row[4], case .bytes(let bytes) = row[5],
                let commitment = Self.commitment(salt, bytes, row[6])
            else { throw LogFailure(operation: "read entries", message: "an entry is malformed") }
            let entry = LedgerEntry(
                hub: Position(clamping: hub), origin: PostgresText.unescape(name),
                epoch: Epoch(UInt64(bitPattern: epoch)),
                position: Position(clamping: position), commitment: commitment)
            opened.append(Opened(entry: entry, salt: salt, bytes: bytes))
        }
        return opened
    }

    /// Returns an entry's commitment: the stored one of a pruned event, or the one computed from salt and bytes.
    ///
    /// Returns nil for an invalid row that has both bytes and a stored commitment, or neither.
    private static func commitment(_ salt: [UInt8], _ bytes: [UInt8], _ kept: PGValue) -> [UInt8]? {
        switch kept {
        case .bytes(let kept) where bytes.isEmpty: kept
        case .null where !bytes.isEmpty: LedgerEntry.commitment(salt: salt, event: bytes)
        default: nil
        }
    }

    func root(size: UInt64) throws(LogFailure) -> [UInt8]? {
        try MerkleTileReader(size: size, source: tile).root()
    }

    /// Returns signed checkpoints of a size greater than `size`, in ascending order, each with its size.
    func notes(after size: UInt64, count: Int) throws(LogFailure) -> [(size: UInt64, note: String)] {
        let rows = try query(
            "SELECT size, note FROM hub.checkpoint WHERE size > $1 ORDER BY size LIMIT $2",
            [.integer(Int64(clamping: size)), .integer(Int64(count))])
        return try rows.map { row throws(LogFailure) in
            guard row.count == 2, case .integer(let size) = row[0], case .text(let note) = row[1] else {
                throw LogFailure(operation: "read a checkpoint", message: "it is malformed")
            }
            return (UInt64(clamping: size), note)
        }
    }

    /// Returns the signed note of the largest checkpoint; nil if there is none.
    func latestNote() throws(LogFailure) -> String? {
        let rows = try query("SELECT note FROM hub.checkpoint ORDER BY size DESC LIMIT 1", [])
        guard case .text(let note)? = rows.first?.first else { return nil }
        return note
    }

    func latestCheckpoint() throws(LogFailure) -> LogCheckpoint? {
        guard let note = try latestNote() else { return nil }
        do throws(SignedNote.Refusal) {
            if let checkpoint = LogCheckpoint(try SignedNote(note).text) { return checkpoint }
        } catch {
            throw LogFailure(operation: "read a checkpoint", message: "\(error)")
        }
        throw LogFailure(operation: "read a checkpoint", message: "it is no checkpoint")
    }
}
