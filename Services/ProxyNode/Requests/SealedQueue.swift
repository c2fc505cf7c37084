import Crypto
import SQLite
import Vocabulary

/// Messages that only a farm can read, on the disk until the farm has responded, and its responses, which only the
/// sender can read, until they are collected. Used by one thread.
final class SealedQueue {
    /// What became of a message.
    enum State: Hashable, Sendable {
        case waiting
        /// The farm's response: its status and body.
        case answered(Int, [UInt8])
    }

    /// A message that waits.
    struct Message: Hashable, Sendable {
        let id: String
        let farm: String
        let body: [UInt8]
    }

    private let database: Database
    /// The number of messages that wait, and of the farms that they are for.
    private(set) var waiting = 0
    private var bytes = 0

    /// Opens the file, which is created if it is missing. Throws if another node has opened it, or if it is damaged.
    init(path: String) throws(SQLiteError) {
        database = try Database(path: path, mode: .writer)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS sealed (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                farm TEXT NOT NULL, body BLOB NOT NULL, received INTEGER NOT NULL, status INTEGER, response BLOB) STRICT;
            CREATE INDEX IF NOT EXISTS sealed_waiting ON sealed (farm, number) WHERE status IS NULL;
            """)
        try measure()
    }

    /// Stores a message; it is on the disk when this returns. Returns its id, which cannot be guessed; nil beyond
    /// the limits.
    func add(_ body: [UInt8], to farm: String, at time: Instant) throws(SQLiteError) -> String? {
        guard waiting < NodeLimits.sealed, bytes + body.count <= NodeLimits.sealedBytes else { return nil }
        let id = Hex.encode(Random.bytes(16))
        _ = try database.query(
            "INSERT INTO sealed (id, farm, body, received) VALUES (?, ?, ?, ?)",
            [.text(id), .text(farm), .blob(body), .integer(time.microseconds)])
        waiting += 1
        bytes += body.count
        return id
    }

    /// Returns the oldest message to a farm that waits.
    func next(to farm: String) throws(SQLiteError) -> Message? {
        let rows = try database.query(
            "SELECT id, body FROM sealed WHERE farm = ? AND status IS NULL ORDER BY number LIMIT 1", [.text(farm)])
        guard let row = rows.first, case .text(let id) = row[0], case .blob(let body) = row[1] else { return nil }
        return Message(id: id, farm: farm, body: body)
    }

    /// Stores the farm's response in place of the message.
    func answer(_ id: String, status: Int, _ response: [UInt8]) throws(SQLiteError) {
        _ = try database.query(
            "UPDATE sealed SET status = ?, response = ?, body = x'' WHERE id = ? AND status IS NULL",
            [.integer(Int64(status)), .blob(response), .text(id)])
        try measure()
    }

    /// Returns what became of a message; nil if there is none of this id.
    func find(_ id: String) throws(SQLiteError) -> State? {
        let rows = try database.query("SELECT status, response FROM sealed WHERE id = ?", [.text(id)])
        guard let row = rows.first else { return nil }
        guard case .integer(let status) = row[0] else { return .waiting }
        let response: [UInt8] = if case .blob(let bytes) = row[1] { bytes } else { [] }
        return .answered(Int(status), response)
    }

    /// Removes what was received before a time.
    func expire(before time: Instant) throws(SQLiteError) {
        _ = try database.query("DELETE FROM sealed WHERE received < ?", [.integer(time.microseconds)])
        if database.changes > 0 { try measure() }
    }

    private func measure() throws(SQLiteError) {
        let row = try database.query(
            "SELECT count(*) FILTER (WHERE status IS NULL), "
                + "coalesce(sum(length(body) + coalesce(length(response), 0)), 0) FROM sealed"
        ).first
        guard case .integer(let waiting)? = row?.first, case .integer(let bytes)? = row?.last else { return }
        (self.waiting, self.bytes) = (Int(waiting), Int(bytes))
    }
}
