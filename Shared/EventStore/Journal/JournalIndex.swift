import Crypto
public import EventSourcing
import JSON
import SQLite
import Vocabulary
import Wire

extension SQLiteReader: IndexVerifier {
    public func indexFlaws(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        try JournalIndex(path).check(shouldContinue, found)
    }
}

/// Verifies the index of a journal file against the events' bytes, while its writer runs.
private final class JournalIndex {
    private let database: Database
    private let reader: SQLiteReader
    private let findRow: Statement
    private let findSealed: Statement
    private var next: Position = 1
    private var streams = StreamVersionCounter()
    private var firstEntry: Entry?
    private var first: Envelope?
    private var last: Envelope?
    private var isWhole = true

    init(_ path: String) throws(LogFailure) {
        let database = try storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .reader) }
        self.database = database
        reader = try SQLiteReader(database, path: path)
        (findRow, findSealed) = try storing("open") { () throws(SQLiteError) in
            (
                try database.prepare(
                    "SELECT pos, ver, (SELECT name FROM stream WHERE stream.id = stream) FROM entry WHERE id = ?"),
                try database.prepare("SELECT pos FROM sealed WHERE id = ?")
            )
        }
    }

    /// Checks entries, then the index tables, then the segments and stored responses.
    ///
    /// Entries never change, so they are read outside a transaction. The index tables change with each entry, so they
    /// are compared within one transaction, after the entries added meanwhile. A transaction over the whole check would
    /// let the WAL grow.
    func check(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        try checkEntries(shouldContinue, found)
        try storing("read the index") { () throws(SQLiteError) in try database.execute("BEGIN") }
        try checkEntries(shouldContinue, found)
        for flaw in [try flawOfMeta(), try flawOfSealed(), try flawOfResponses()] { flaw.map(found) }
        guard shouldContinue(next - 1) else { throw .checkEnded }
        try flawOfStreams().map(found)
        try storing("read the index") { () throws(SQLiteError) in try database.execute("COMMIT") }
        try flawOfSegments(shouldContinue).map(found)
        try checkAnswers(shouldContinue, found)
    }

    private func checkEntries(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        while case let page = try reader.read(from: next, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes),
            !page.isEmpty
        {
            for entry in page {
                if entry.position > next { found("the entry at \(next) is missing") }
                try flaw(of: entry).map(found)
                next = entry.position + 1
            }
            guard shouldContinue(next - 1) else { throw .checkEnded }
        }
    }

    private func flaw(of entry: Entry) throws(LogFailure) -> String? {
        guard !entry.isPruned else {
            isWhole = false
            return nil
        }
        let envelope: Envelope
        do throws(JSONError) {
            envelope = try EnvelopeCodec.read(entry.bytes).envelope
        } catch {
            return "the event at \(entry.position) cannot be read: \(error)"
        }
        if first == nil { (firstEntry, first) = (entry, envelope) }
        last = envelope
        streams.add(envelope.stream, envelope.version)
        return try storing("read the index") { () throws(SQLiteError) in
            if let row = try row(of: envelope.id) {
                guard row.position == entry.position else { return misplaced(entry, row.position) }
                guard row.stream == envelope.stream, row.version == envelope.version else {
                    return "the event at \(entry.position) is stored as version \(row.version) of \(row.stream)"
                }
                return nil
            }
            // It may have been moved to a segment since it was read.
            guard let place = try sealedPlace(of: envelope.id) else {
                return "the event at \(entry.position) is not found by its id"
            }
            return place == entry.position ? nil : misplaced(entry, place)
        }
    }

    private func misplaced(_ entry: Entry, _ place: Position) -> String {
        "the event at \(entry.position) is stored at \(place)"
    }

    private func row(of id: UUID) throws(SQLiteError) -> (position: Position, version: Int, stream: String)? {
        defer { findRow.reset() }
        try findRow.bind(1, id.bytes)
        guard try findRow.step() else { return nil }
        return (Position(clamping: findRow.integer(0)), Int(findRow.integer(1)), findRow.text(2))
    }

    private func sealedPlace(of id: UUID) throws(SQLiteError) -> Position? {
        defer { findSealed.reset() }
        try findSealed.bind(1, id.bytes)
        return try findSealed.step() ? Position(clamping: findSealed.integer(0)) : nil
    }

    private func flawOfMeta() throws(LogFailure) -> String? {
        let rows = try query("SELECT origin, epoch, created, format FROM meta")
        // The first event is an `EpochBegan`, which is never pruned. The first epoch is part of the chain's start.
        guard rows.count == 1, let first, let last else { return "the file tells nothing of itself" }
        let expected: [SQLValue] = [
            .text(last.origin.description), .text(last.epoch.description), .text(first.recorded.description),
            .integer(Int64(JournalFormat.fileVersion)),
        ]
        for (name, (kept, expected)) in zip(["origin", "epoch", "beginning", "format"], zip(rows[0], expected))
        where kept != expected {
            return "the file tells of another \(name) than its events"
        }
        guard let start = try reader.hash(at: 0), let firstEntry,
            Chain.next(after: start, firstEntry.bytes) == firstEntry.hash
        else {
            return "the file tells of another first epoch than its events"
        }
        return nil
    }

    /// Checks that `sealed` has exactly one row for each position that has left the file.
    private func flawOfSealed() throws(LogFailure) -> String? {
        let rows = try query("SELECT (SELECT min(pos) - 1 FROM entry), count(*), coalesce(sum(pos), 0) FROM sealed")
        guard case .integer(let gone)? = rows.first?.first, gone >= 0,
            case let (pairs, isTooMany) = gone.multipliedReportingOverflow(by: gone + 1), !isTooMany,
            rows[0] == [.integer(gone), .integer(gone), .integer(pairs / 2)]
        else { return "the ids of sealed events are not those of the events that were sealed" }
        return nil
    }

    /// Checks that the stored responses are numbered without a gap, so that a standby gets all of them.
    private func flawOfResponses() throws(LogFailure) -> String? {
        let rows = try query("SELECT count(*), coalesce(min(number), 1), coalesce(max(number), 0) FROM answer")
        guard let row = rows.first, row[1] == .integer(1), row[0] == row[2] else {
            return "the stored responses are not numbered from 1 without a gap"
        }
        return nil
    }

    private func flawOfStreams() throws(LogFailure) -> String? {
        var kept: [(stream: String, version: Int)] = []
        var lastNumber: Int64 = 0
        for row in try query("SELECT name, version, id FROM stream ORDER BY id") {
            guard case .text(let name) = row[0], case .integer(let version) = row[1], case .integer(let number) = row[2]
            else { return "a stream is malformed" }
            guard number == lastNumber + 1 else { return "stream \(name) is stored as number \(number)" }
            lastNumber = number
            kept.append((name, Int(version)))
        }
        return streams.flaw(ofStored: kept, head: next - 1, isPruned: !isWhole)
    }

    private func flawOfSegments(_ shouldContinue: (Position) -> Bool) throws(LogFailure) -> String? {
        var last: Position = 0
        for run in try reader.segments() {
            guard run.lowerBound == last + 1 else { return "there is no segment for \(last + 1)" }
            last = run.upperBound
            // Pruning may replace a segment during the check, so a mismatch is confirmed by a second look.
            if try reader.isStrange(run), try reader.isStrange(run) {
                return "segment \(SegmentDirectory.name(of: run)) is not the one that the journal names"
            }
            guard shouldContinue(next - 1) else { throw .checkEnded }
        }
        return nil
    }

    private func checkAnswers(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        var answers = try storing("read answers") { () throws(SQLiteError) in try StoredResponses(in: database) }
        while case let page = try answers.next(), !page.isEmpty {
            for (command, kept) in page where !kept.isWhole { found(command.flaw) }
            guard shouldContinue(next - 1) else { throw .checkEnded }
        }
    }

    private func query(_ sql: String) throws(LogFailure) -> [[SQLValue]] {
        try storing("read the index") { () throws(SQLiteError) in try database.query(sql) }
    }
}

extension CommandName {
    /// The finding for a stored response whose checksum does not match.
    ///
    /// Clients choose keys, which may be personal data such as an address. So only a digest of the key is shown.
    package var flaw: String {
        let digest = Hex.encode(SHA256.hash(Array(key.text.utf8)).prefix(4))
        return "the response to \(actor.text), its key \(digest)… by SHA-256, was changed after it was stored"
    }
}
