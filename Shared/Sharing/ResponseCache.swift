import Crypto
import HTTP
import JSON
package import SQLite
import System

/// The stored responses of all farms: on the disk up to a limit, the last used ones also in memory. Used by one thread.
///
/// A power cut may lose the last seconds. A body that does not have its hash any more is removed when it is read.
package final class ResponseCache {
    /// What is known of a stored response without its body.
    package struct IndexEntry: Hashable, Sendable {
        package let key: CacheKey
        package let type: String
        package let bytes: Int
        package let receivedAt: Int64
        package let rank: Popularity
    }

    private let path: String
    /// The bytes of all responses.
    package let limit: Int
    private var database: Database
    private var memory = MemoryCache()
    /// Requests that are not counted on the disk yet.
    private var requests: [CacheKey: Int] = [:]
    package private(set) var count = 0
    package private(set) var bytes = 0
    /// Responses that were removed because others are worth more, since the start.
    package private(set) var evicted = 0

    /// Opens the file, which is created if it is missing, and replaced if it is damaged.
    ///
    /// - Parameter limit: the bytes of all responses.
    package init(path: String, limit: Int) throws {
        self.path = path
        self.limit = limit
        do throws(SQLiteError) {
            database = try Self.open(path)
        } catch {
            guard error.isCorrupt else { throw error }
            database = try Self.reopen(path)
        }
        try measure()
    }

    /// Returns a response without counting the request.
    package func find(_ key: CacheKey) throws(SQLiteError) -> StoredResponse? {
        if let response = memory.find(key) { return response }
        let rows = try database.query(
            "SELECT headers, body, received, sha256 FROM response WHERE farm = ? AND target = ? AND page = ?",
            Self.values(key))
        guard let row = rows.first, case .text(let headers) = row[0], case .integer(let received) = row[2] else {
            return nil
        }
        // SQLite returns an empty blob as null.
        let body: [UInt8] = if case .blob(let bytes) = row[1] { bytes } else { [] }
        guard case .blob(let hash) = row[3], SHA256.hash(body) == hash, let fields = Self.fields(headers) else {
            try remove(key)
            return nil
        }
        let response = StoredResponse(headers: fields, body: body, receivedAt: received)
        memory.keep(response, for: key)
        return response
    }

    /// Counts a request for a response; ``tidy(at:)`` writes the counts.
    package func count(_ key: CacheKey, requests number: Int = 1) { requests[key, default: 0] += number }

    /// Stores a response, or replaces one. The least popular ones make room; if others have filled the disk, the
    /// response is only kept in memory.
    package func store(_ response: StoredResponse, for key: CacheKey) throws(SQLiteError) {
        memory.keep(response, for: key)
        guard try makeRoom(for: response.size) else { return }
        let seconds = Double(response.receivedAt) / 1_000_000
        var rank = try rank(of: key) ?? Popularity(at: seconds)
        rank.count(requests.removeValue(forKey: key) ?? 0, at: seconds)
        try remove(key)
        memory.keep(response, for: key)
        let type = response.headers["Content-Type"] ?? ""
        _ = try database.query(
            "INSERT INTO response (farm, target, page, headers, body, received, sha256, size, type, rank, worth) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Self.values(key) + [
                .text(Self.text(response.headers)), .blob(response.body), .integer(response.receivedAt),
                .blob(SHA256.hash(response.body)), .integer(Int64(response.size)), .text(type), .real(rank.rank),
                .real(rank.worth(bytes: response.size)),
            ])
        count += 1
        bytes += response.size
    }

    /// Replaces the header fields and the time of a response whose body the farm has confirmed.
    package func confirm(_ response: StoredResponse, for key: CacheKey) throws(SQLiteError) {
        _ = try database.query(
            "UPDATE response SET headers = ?, received = ? WHERE farm = ? AND target = ? AND page = ?",
            [.text(Self.text(response.headers)), .integer(response.receivedAt)] + Self.values(key))
        memory.keep(response, for: key)
    }

    package func remove(_ key: CacheKey) throws(SQLiteError) {
        memory.remove(key)
        let rows = try database.query(
            "DELETE FROM response WHERE farm = ? AND target = ? AND page = ? RETURNING size", Self.values(key))
        guard case .integer(let size)? = rows.first?.first else { return }
        count -= 1
        bytes -= Int(size)
    }

    /// Removes the responses of a farm whose path and query begin with a text.
    package func remove(prefix: String, of farm: String) throws(SQLiteError) {
        let rows = try database.query(
            "SELECT target, page FROM response WHERE farm = ? AND target >= ? AND target < ?",
            [.text(farm), .text(prefix), .text(prefix + "\u{7F}")])
        for row in rows {
            guard case .text(let target) = row[0], case .integer(let page) = row[1] else { continue }
            try remove(CacheKey(farm: farm, target: target, isPage: page == 1))
        }
    }

    /// Returns the responses of a farm that are requested most, the most popular one first.
    package func index(of farm: String, limit: Int) throws(SQLiteError) -> [IndexEntry] {
        try database.query(
            "SELECT target, page, type, size, received, rank FROM response WHERE farm = ? ORDER BY rank DESC LIMIT ?",
            [.text(farm), .integer(Int64(limit))]
        ).compactMap { row in
            guard case .text(let target) = row[0], case .integer(let page) = row[1], case .text(let type) = row[2],
                case .integer(let size) = row[3], case .integer(let received) = row[4], case .real(let rank) = row[5]
            else { return nil }
            return IndexEntry(
                key: CacheKey(farm: farm, target: target, isPage: page == 1), type: type, bytes: Int(size),
                receivedAt: received, rank: Popularity(rank: rank))
        }
    }

    /// Writes the counts of requests, and moves SQLite's log into the database if it has grown.
    package func tidy(at real: Int64) throws(SQLiteError) {
        let counted = requests
        requests = [:]
        try database.transaction { () throws(SQLiteError) in
            for (key, number) in counted {
                guard var rank = try rank(of: key), let size = try size(of: key) else { continue }
                rank.count(number, at: Double(real) / 1_000_000)
                _ = try database.query(
                    "UPDATE response SET rank = ?, worth = ? WHERE farm = ? AND target = ? AND page = ?",
                    [.real(rank.rank), .real(rank.worth(bytes: size))] + Self.values(key))
            }
        }
        if logBytes > SharingLimits.logBytes { try database.checkpoint(truncate: true) }
        database.releaseMemory()
    }

    /// Replaces the file by an empty one, because it is damaged.
    package func startOver() throws {
        memory = MemoryCache()
        database = try Database(path: "", mode: .memory)
        database = try Self.reopen(path)
        try measure()
    }

    /// The bytes of SQLite's log.
    private var logBytes: Int {
        do throws(SystemError) {
            return try File.size(path + "-wal")
        } catch {
            return 0
        }
    }

    /// Makes room for a response: within the limit, and so that the disk keeps a reserve, in which requests are
    /// deferred. Returns false if others have used the reserve.
    private func makeRoom(for size: Int) throws(SQLiteError) -> Bool {
        try evict(to: limit - size)
        // A response is written to SQLite's log first, and the log needs as much room again in the database.
        if hasRoom(for: 2 * size + logBytes) { return true }
        try database.checkpoint(truncate: true)
        if hasRoom(for: 2 * size) { return true }
        guard let space, space.free >= reserve(of: space) / 2 + UInt64(size) else { return false }
        while try unusedBytes < size, count > 0 { try evict(to: bytes - 1) }
        return true
    }

    /// The bytes of the file that hold nothing and can be used again.
    private var unusedBytes: Int {
        get throws(SQLiteError) {
            let rows = try database.query(
                "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
            guard case .integer(let bytes)? = rows.first?.first else { return 0 }
            return Int(bytes)
        }
    }

    private func hasRoom(for size: Int) -> Bool {
        guard let space else { return true }
        return space.free >= reserve(of: space) + UInt64(size)
    }

    private func reserve(of space: DiskSpace) -> UInt64 { min(SharingLimits.reserveBytes, space.total / 10) }

    private var space: DiskSpace? {
        do throws(SystemError) {
            return try DiskSpace(of: path)
        } catch {
            return nil
        }
    }

    private func evict(to most: Int) throws(SQLiteError) {
        while bytes > max(0, most) {
            let rows = try database.query("SELECT farm, target, page FROM response ORDER BY worth LIMIT 1")
            guard let row = rows.first, case .text(let farm) = row[0], case .text(let target) = row[1],
                case .integer(let page) = row[2]
            else { return }
            try remove(CacheKey(farm: farm, target: target, isPage: page == 1))
            evicted += 1
        }
    }

    private func rank(of key: CacheKey) throws(SQLiteError) -> Popularity? {
        let rows = try database.query(
            "SELECT rank FROM response WHERE farm = ? AND target = ? AND page = ?", Self.values(key))
        guard case .real(let rank)? = rows.first?.first else { return nil }
        return Popularity(rank: rank)
    }

    private func size(of key: CacheKey) throws(SQLiteError) -> Int? {
        let rows = try database.query(
            "SELECT size FROM response WHERE farm = ? AND target = ? AND page = ?", Self.values(key))
        guard case .integer(let size)? = rows.first?.first else { return nil }
        return Int(size)
    }

    private func measure() throws(SQLiteError) {
        let row = try database.query("SELECT count(*), coalesce(sum(size), 0) FROM response").first
        guard case .integer(let count)? = row?.first, case .integer(let bytes)? = row?.last else { return }
        (self.count, self.bytes) = (Int(count), Int(bytes))
        try evict(to: limit)
    }

    private static func open(_ path: String) throws(SQLiteError) -> Database {
        let database = try Database(path: path, mode: .cache)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS response (farm TEXT NOT NULL, target TEXT NOT NULL, page INTEGER NOT NULL,
                headers TEXT NOT NULL, body BLOB NOT NULL, received INTEGER NOT NULL, sha256 BLOB NOT NULL,
                size INTEGER NOT NULL, type TEXT NOT NULL, rank REAL NOT NULL, worth REAL NOT NULL,
                UNIQUE (farm, target, page)) STRICT;
            CREATE INDEX IF NOT EXISTS response_worth ON response (worth);
            CREATE INDEX IF NOT EXISTS response_rank ON response (farm, rank);
            """)
        return database
    }

    private static func reopen(_ path: String) throws -> Database {
        for name in [path, path + "-wal", path + "-shm"] where File.exists(name) { try File.remove(name) }
        return try open(path)
    }

    private static func values(_ key: CacheKey) -> [SQLValue] {
        [.text(key.farm), .text(key.target), .integer(key.isPage ? 1 : 0)]
    }

    private static func text(_ headers: HTTPHeaders) -> String {
        var json = JSONWriter()
        json.array { json in
            for (name, value) in headers.fields {
                json.element(array: { json in
                    json.element(name)
                    json.element(value)
                })
            }
        }
        return json.text
    }

    private static func fields(_ text: String) -> HTTPHeaders? {
        do throws(JSONError) {
            let fields: [[String]] = try [[String]](json: JSONValue.parse(text))
            return HTTPHeaders(fields.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil })
        } catch {
            return nil
        }
    }
}
