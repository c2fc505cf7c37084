import Crypto
import SQLite
import Sharing
import Vocabulary

/// The requests that could not be served because the farm was not reachable, on the disk until they are fetched. Used
/// by one thread.
final class DeferredRequests {
    enum State: String, Sendable {
        case waiting
        case fetched
        /// The farm responded, and there is nothing to store; the status is the reason.
        case refused
        /// The farm was not reached in time.
        case expired
    }

    /// One request, of one or many requesters.
    struct Entry: Hashable, Sendable {
        let id: String
        let key: CacheKey
        let requesters: Int
        let firstAt: Instant
        let state: State
        /// The farm's status, once it has responded.
        let status: Int?
    }

    private let database: Database
    private let newID: () -> String
    /// The last request that was stored before this run.
    private let before: Int64
    /// The number of requests that wait.
    private(set) var waiting = 0

    /// Opens the file, which is created if it is missing. Throws if another node has opened it, or if it is damaged.
    init(path: String, newID: @escaping () -> String = { Hex.encode(Random.bytes(16)) }) throws(SQLiteError) {
        self.newID = newID
        database = try Database(path: path, mode: .writer)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS deferred (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                farm TEXT NOT NULL, target TEXT NOT NULL, page INTEGER NOT NULL, requesters INTEGER NOT NULL,
                first INTEGER NOT NULL, state TEXT NOT NULL, status INTEGER, UNIQUE (farm, target, page)) STRICT;
            CREATE INDEX IF NOT EXISTS deferred_waiting ON deferred (farm, state, requesters);
            """)
        // Numbers are not used again: this also holds if all requests were settled.
        let last = try database.query("SELECT max(seq) FROM sqlite_sequence WHERE name = 'deferred'").first?.first
        before = if case .integer(let number)? = last { number } else { 0 }
        try recount()
    }

    /// Stores requests; they are on the disk when this returns. A request that waits already gets more requesters.
    ///
    /// Returns the ids, or nil for those beyond the limit, which are not stored.
    func add(_ keys: [CacheKey], at time: Instant) throws(SQLiteError) -> [String?] {
        var ids: [String?] = []
        var added = 0
        try database.transaction { () throws(SQLiteError) in
            for key in keys {
                if let entry = try find(key), entry.state == .waiting {
                    _ = try database.query(
                        "UPDATE deferred SET requesters = requesters + 1 WHERE id = ?", [.text(entry.id)])
                    ids.append(entry.id)
                } else if waiting + added < NodeLimits.deferred {
                    ids.append(try insert(key, at: time))
                    added += 1
                } else {
                    ids.append(nil)
                }
            }
        }
        waiting += added
        return ids
    }

    /// Returns the requests of a farm that are to be fetched first: those of most requesters, then the oldest.
    func next(of farm: String, limit: Int) throws(SQLiteError) -> [Entry] {
        try entries(
            "WHERE farm = ? AND state = 'waiting' ORDER BY requesters DESC, number LIMIT ?",
            [.text(farm), .integer(Int64(limit))])
    }

    /// Records what became of a request; nothing happens if it does not wait.
    func settle(_ key: CacheKey, as state: State, status: Int?) throws(SQLiteError) {
        _ = try database.query(
            "UPDATE deferred SET state = ?, status = ? WHERE farm = ? AND target = ? AND page = ? "
                + "AND state = 'waiting'",
            [.text(state.rawValue), status.map { .integer(Int64($0)) } ?? .null] + Self.values(key))
        guard database.changes > 0 else { return }
        waiting -= 1
        try database.checkpoint()
    }

    /// Gives up what waits since before a time, and forgets the oldest settled requests beyond the limit.
    ///
    /// Returns how many were given up.
    func expire(before time: Instant) throws(SQLiteError) -> Int {
        _ = try database.query(
            "UPDATE deferred SET state = 'expired' WHERE state = 'waiting' AND first < ?",
            [.integer(time.microseconds)])
        let expired = database.changes
        _ = try database.query(
            "DELETE FROM deferred WHERE state <> 'waiting' AND number <= (SELECT max(number) FROM deferred) - ?",
            [.integer(Int64(NodeLimits.deferred))])
        waiting -= expired
        return expired
    }

    /// Moves the times of the requests that were stored in this run, because the clock by which they were stored was
    /// wrong.
    func shift(byMicroseconds difference: Int64) throws(SQLiteError) {
        _ = try database.query(
            "UPDATE deferred SET first = first + ? WHERE number > ?", [.integer(difference), .integer(before)])
    }

    func find(id: String) throws(SQLiteError) -> Entry? { try entries("WHERE id = ?", [.text(id)]).first }

    /// Returns the newest requests, the newest first.
    func newest(limit: Int) throws(SQLiteError) -> [Entry] {
        try entries("ORDER BY number DESC LIMIT ?", [.integer(Int64(limit))])
    }

    private func find(_ key: CacheKey) throws(SQLiteError) -> Entry? {
        try entries("WHERE farm = ? AND target = ? AND page = ?", Self.values(key)).first
    }

    /// Inserts a request, in place of an earlier one that was settled.
    private func insert(_ key: CacheKey, at time: Instant) throws(SQLiteError) -> String {
        let id = newID()
        _ = try database.query(
            "INSERT OR REPLACE INTO deferred (id, farm, target, page, requesters, first, state) "
                + "VALUES (?, ?, ?, ?, 1, ?, 'waiting')",
            [.text(id)] + Self.values(key) + [.integer(time.microseconds)])
        return id
    }

    private func recount() throws(SQLiteError) {
        let row = try database.query("SELECT count(*) FROM deferred WHERE state = 'waiting'").first
        if case .integer(let number)? = row?.first { waiting = Int(number) }
    }

    private func entries(_ condition: String, _ values: [SQLValue]) throws(SQLiteError) -> [Entry] {
        try database.query(
            "SELECT id, farm, target, page, requesters, first, state, status FROM deferred " + condition, values
        ).compactMap(Self.entry)
    }

    private static func entry(_ row: [SQLValue]) -> Entry? {
        guard case .text(let id) = row[0], case .text(let farm) = row[1], case .text(let target) = row[2],
            case .integer(let page) = row[3], case .integer(let requesters) = row[4], case .integer(let first) = row[5],
            case .text(let word) = row[6], let state = State(rawValue: word)
        else { return nil }
        let status: Int? = if case .integer(let status) = row[7] { Int(status) } else { nil }
        return Entry(
            id: id, key: CacheKey(farm: farm, target: target, isPage: page == 1), requesters: Int(requesters),
            firstAt: Instant(microseconds: first), state: state, status: status)
    }

    private static func values(_ key: CacheKey) -> [SQLValue] {
        [.text(key.farm), .text(key.target), .integer(key.isPage ? 1 : 0)]
    }
}
