import BluetoothCentral
import Crypto
import SQLite
import Vocabulary

/// The reports that the farm has not accepted yet, on the disk. Used by one thread.
///
/// A batch keeps its reports and its key until it is settled, also across restarts: the farm records a batch that it
/// gets twice under one key once.
final class ReportQueue {
    /// Reports of one request, oldest first.
    struct Batch: Hashable, Sendable {
        /// The idempotency key of the request.
        let key: String
        let last: Int64
        let reports: [String]
    }

    private let database: Database
    private let insert: Statement
    private let newKey: () -> String
    /// The last report that was stored before this run.
    private let before: Int64

    /// Opens the file, which is created if it is missing. Throws if another hub has opened it, or if it is damaged.
    init(path: String, newKey: @escaping () -> String = { Hex.encode(Random.bytes(16)) }) throws(SQLiteError) {
        self.newKey = newKey
        database = try Database(path: path, mode: .writer)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS report (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
                text TEXT NOT NULL) STRICT;
            CREATE INDEX IF NOT EXISTS report_at ON report (at);
            CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY CHECK (id = 0), key TEXT NOT NULL,
                last INTEGER NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS refused (id INTEGER PRIMARY KEY AUTOINCREMENT, reason TEXT NOT NULL,
                reports TEXT NOT NULL) STRICT;
            """)
        insert = try database.prepare("INSERT INTO report (at, text) VALUES (?, ?)")
        // Numbers are not used again: this also holds if all reports were delivered.
        before = try Self.number("SELECT max(seq) FROM sqlite_sequence WHERE name = 'report'", in: database)
    }

    /// Stores reports; they are on the disk when this returns.
    func add(_ reports: [AdvertReport]) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for report in reports { try insert.run(.integer(report.at.microseconds), .text(report.text)) }
        }
    }

    /// Returns the reports that have to be sent next, or nil if there are none: the batch of the last call unless it
    /// was settled.
    func next() throws(SQLiteError) -> Batch? {
        if let sent = try unsettled() { return try batch(sent.key, upTo: sent.last) }
        let last = try number(
            "SELECT max(id) FROM (SELECT id FROM report ORDER BY id LIMIT \(QueueLimits.batch))")
        guard last > 0 else { return nil }
        let key = newKey()
        _ = try database.query("INSERT INTO batch VALUES (0, ?, ?)", [.text(key), .integer(last)])
        return try batch(key, upTo: last)
    }

    /// Removes the reports of a batch that the farm has accepted.
    func settle(_ batch: Batch) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in try remove(batch) }
        try database.checkpoint()
    }

    /// Puts the reports of a batch aside that the farm will never accept, with its reason.
    func setAside(_ batch: Batch, because reason: String) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let reports = String(decoding: AdvertReport.body(of: batch.reports), as: UTF8.self)
            _ = try database.query(
                "INSERT INTO refused (reason, reports) VALUES (?, ?)", [.text(reason), .text(reports)])
            _ = try database.query(
                "DELETE FROM refused WHERE id <= (SELECT max(id) FROM refused) - ?",
                [.integer(Int64(QueueLimits.refused))])
            try remove(batch)
        }
        try database.checkpoint()
    }

    /// Removes reports from before a time, and the oldest ones beyond the limit; those of an unsettled batch stay.
    ///
    /// Returns how many were removed.
    func tidy(before time: Instant, limit: Int = QueueLimits.reports) throws(SQLiteError) -> Int {
        let sent = try unsettled()?.last ?? 0
        let newest = try number("SELECT max(id) FROM report")
        let removed = try database.transaction { () throws(SQLiteError) in
            _ = try database.query(
                "DELETE FROM report WHERE id > ? AND (at < ? OR id <= ?)",
                [.integer(sent), .integer(time.microseconds), .integer(newest - Int64(limit))])
            return database.changes
        }
        try database.checkpoint()
        return removed
    }

    /// Moves the times of the reports that were stored in this run, because the clock by which they were stored was
    /// wrong; those of an unsettled batch stay, as it may have arrived.
    func shift(byMicroseconds difference: Int64) throws(SQLiteError) {
        let sent = try unsettled()?.last ?? 0
        _ = try database.query(
            "UPDATE report SET at = at + ? WHERE id > ?", [.integer(difference), .integer(max(sent, before))])
    }

    /// How many reports wait, and when the oldest was received.
    func waiting() throws(SQLiteError) -> (count: Int, oldest: Instant?) {
        let count = try number("SELECT count(*) FROM report")
        guard count > 0 else { return (0, nil) }
        return (Int(count), Instant(microseconds: try number("SELECT min(at) FROM report")))
    }

    /// How many requests the farm has refused and are still kept.
    func refused() throws(SQLiteError) -> Int { Int(try number("SELECT count(*) FROM refused")) }

    private func unsettled() throws(SQLiteError) -> (key: String, last: Int64)? {
        let row = try database.query("SELECT key, last FROM batch").first
        guard case .text(let key)? = row?.first, case .integer(let last)? = row?.last else { return nil }
        return (key, last)
    }

    private func batch(_ key: String, upTo last: Int64) throws(SQLiteError) -> Batch {
        let rows = try database.query("SELECT text, at FROM report WHERE id <= ? ORDER BY id", [.integer(last)])
        let reports = rows.compactMap { row -> String? in
            guard case .text(let text)? = row.first, case .integer(let at)? = row.last else { return nil }
            return AdvertReport.line(text, at: Instant(microseconds: at))
        }
        return Batch(key: key, last: last, reports: reports)
    }

    private func remove(_ batch: Batch) throws(SQLiteError) {
        _ = try database.query("DELETE FROM report WHERE id <= ?", [.integer(batch.last)])
        _ = try database.query("DELETE FROM batch")
    }

    private func number(_ sql: String) throws(SQLiteError) -> Int64 { try Self.number(sql, in: database) }

    /// Returns the number in the only row of a query; 0 for NULL.
    private static func number(_ sql: String, in database: Database) throws(SQLiteError) -> Int64 {
        guard case .integer(let number)? = try database.query(sql).first?.first else { return 0 }
        return number
    }
}
