import JSON
import SQLite
import Wire

/// The database file of a client: all its data. Related changes are written in one transaction.
final class ClientStore {
    private let database: Database

    /// The version of the tables below; an older build refuses a newer file.
    private static let version: Int64 = 2

    init(path: String) throws(FarmClientError) {
        do throws(SQLiteError) {
            database = try Database(path: path, mode: .writer)
            guard case .integer(let found)? = try database.query("PRAGMA user_version").first?.first,
                found <= Self.version
            else {
                throw SQLiteError(code: 1, operation: "open", message: "a newer version of the app wrote this file")
            }
            try database.transaction { () throws(SQLiteError) in
                if found == 0 { try database.execute(Self.tables) }
                if found < 2 { try database.execute(Self.secondTables) }
            }
            // The client has no idle moment for a checkpoint, so SQLite makes one after this many pages.
            _ = try database.query("PRAGMA wal_autocheckpoint=\(ClientLimits.logPages)")
        } catch {
            throw FarmClientError(error)
        }
    }

    private static let tables = """
        CREATE TABLE record(kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY(kind, id)) WITHOUT ROWID;
        CREATE TABLE news(kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT, PRIMARY KEY(kind, id)) WITHOUT ROWID;
        CREATE TABLE promise(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
            record TEXT NOT NULL, body TEXT NOT NULL, made INTEGER NOT NULL, person TEXT, refusal TEXT,
            unclear INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE sent(number INTEGER PRIMARY KEY AUTOINCREMENT, promise TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
        CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE picture(sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE story(lot TEXT PRIMARY KEY, answer TEXT NOT NULL, seen INTEGER NOT NULL) WITHOUT ROWID;
        """

    private static let secondTables = """
        CREATE TABLE sealed(promise TEXT PRIMARY KEY, node TEXT NOT NULL, location TEXT NOT NULL, key BLOB NOT NULL)
            WITHOUT ROWID;
        PRAGMA user_version = 2;
        """

    /// Runs `body` in one transaction, and rolls back if it throws.
    func atomically<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try database.transaction(body)
    }

    // MARK: Settings of this device

    func fact(_ name: SettingName) throws(SQLiteError) -> String? {
        Self.text(try database.query("SELECT value FROM fact WHERE name = ?", [.text(name.rawValue)]).first?.first)
    }

    func put(_ name: SettingName, _ value: String?) throws(SQLiteError) {
        guard let value else { return try run("DELETE FROM fact WHERE name = ?", .text(name.rawValue)) }
        try run("INSERT OR REPLACE INTO fact VALUES(?, ?)", .text(name.rawValue), .text(value))
    }

    /// Returns the session and the pull position, read in one transaction so that they are consistent.
    func session() throws(SQLiteError) -> StoredSession {
        let mark = try fact(.pulled).flatMap { read($0) { json throws(JSONError) in try Pulled.Mark(json) } }
        return StoredSession(me: try me(), token: try fact(.token), mark: mark)
    }

    func me() throws(SQLiteError) -> FarmPerson? {
        try fact(.me).flatMap { read($0) { json throws(JSONError) in try FarmPerson(json) } }
    }

    // MARK: Records, and updates that are not applied yet

    func bodies(_ table: FarmTable) throws(SQLiteError) -> [(id: String, body: String)] {
        try database.query("SELECT id, body FROM record WHERE kind = ? ORDER BY id", [.text(table.rawValue)])
            .map { row in (Self.text(row[0]) ?? "", Self.text(row[1]) ?? "") }
    }

    func body(_ table: FarmTable, _ id: String) throws(SQLiteError) -> String? {
        let key: [SQLValue] = [.text(table.rawValue), .text(id)]
        return Self.text(try database.query("SELECT body FROM record WHERE kind = ? AND id = ?", key).first?.first)
    }

    func put(_ change: Change) throws(SQLiteError) {
        let (kind, id) = (SQLValue.text(change.table.rawValue), SQLValue.text(change.id))
        guard let body = change.body else { return try run("DELETE FROM record WHERE kind = ? AND id = ?", kind, id) }
        try run("INSERT OR REPLACE INTO record VALUES(?, ?, ?)", kind, id, .text(body))
    }

    /// Stores an update, replacing an earlier one of the same record.
    func putNews(_ change: Change) throws(SQLiteError) {
        try run(
            "INSERT OR REPLACE INTO news VALUES(?, ?, ?)", .text(change.table.rawValue), .text(change.id),
            change.body.map { .text($0) } ?? .null)
    }

    func dropNews(_ table: FarmTable, _ id: String) throws(SQLiteError) {
        try run("DELETE FROM news WHERE kind = ? AND id = ?", .text(table.rawValue), .text(id))
    }

    func news() throws(SQLiteError) -> [Change] {
        try database.query("SELECT kind, id, body FROM news").compactMap { row in
            guard let table = Self.text(row[0]).flatMap(FarmTable.init), let id = Self.text(row[1]) else { return nil }
            return Change(table: table, id: id, body: Self.text(row[2]))
        }
    }

    func newsCount() throws(SQLiteError) -> Int { try count("news") }

    func dropNews() throws(SQLiteError) { try run("DELETE FROM news") }

    func dropRecords(_ tables: some Sequence<FarmTable>) throws(SQLiteError) {
        for table in tables { try run("DELETE FROM record WHERE kind = ?", .text(table.rawValue)) }
    }

    // MARK: Pending changes

    /// Returns the pending changes; those without a clear response to the last attempt are at the end.
    func pendingChanges() throws(SQLiteError) -> [PendingChange] {
        let rows = try database.query(
            "SELECT id, kind, record, body, made, person, refusal FROM promise ORDER BY unclear, number")
        return rows.compactMap(PendingChange.init)
    }

    func promiseCount() throws(SQLiteError) -> Int { try count("promise") }

    func add(_ pendingChange: PendingChange) throws(SQLiteError) {
        try run(
            "INSERT INTO promise(id, kind, record, body, made, person, refusal) VALUES(?, ?, ?, ?, ?, ?, ?)",
            pendingChange.cells)
    }

    func drop(_ pendingChange: PendingChange) throws(SQLiteError) {
        try run("DELETE FROM promise WHERE id = ?", .text(pendingChange.id))
        try dropTicket(pendingChange)
    }

    func noteUnclear(_ pendingChange: PendingChange) throws(SQLiteError) {
        try run("UPDATE promise SET unclear = 1 WHERE id = ?", .text(pendingChange.id))
    }

    /// Stores the server's name of a sent change; only the newest ones are retained.
    func noteSent(_ pendingChange: PendingChange, _ name: String) throws(SQLiteError) {
        try run("INSERT OR REPLACE INTO sent(promise, name) VALUES(?, ?)", .text(pendingChange.id), .text(name))
        try run(
            "DELETE FROM sent WHERE number <= (SELECT max(number) FROM sent) - ?",
            .integer(Int64(ClientLimits.pendingChanges)))
    }

    func name(ofSent pendingChange: String) throws(SQLiteError) -> String? {
        Self.text(try database.query("SELECT name FROM sent WHERE promise = ?", [.text(pendingChange)]).first?.first)
    }

    func refuse(_ pendingChange: PendingChange, _ reason: String) throws(SQLiteError) {
        try run("UPDATE promise SET refusal = ? WHERE id = ?", .text(reason), .text(pendingChange.id))
    }

    /// Assigns the changes made before the first sign-in to the person who signs in.
    func adopt(_ person: String) throws(SQLiteError) {
        try run("UPDATE promise SET person = ? WHERE person IS NULL", .text(person))
    }

    // MARK: Changes that nodes carry

    func ticket(_ pendingChange: PendingChange) throws(SQLiteError) -> SealedTicket? {
        let rows = try database.query(
            "SELECT node, location, key FROM sealed WHERE promise = ?", [.text(pendingChange.id)])
        guard let row = rows.first, let node = Self.text(row[0]), let location = Self.text(row[1]),
            case .blob(let bytes) = row[2], let key = ObliviousHTTP.ResponseKey(bytes: bytes)
        else { return nil }
        return SealedTicket(node: node, location: location, responseKey: key)
    }

    func put(_ ticket: SealedTicket, for pendingChange: PendingChange) throws(SQLiteError) {
        try run(
            "INSERT OR REPLACE INTO sealed VALUES(?, ?, ?, ?)", .text(pendingChange.id), .text(ticket.node),
            .text(ticket.location), .blob(ticket.responseKey.bytes))
    }

    func ticketCount() throws(SQLiteError) -> Int { try count("sealed") }

    func dropTicket(_ pendingChange: PendingChange) throws(SQLiteError) {
        try run("DELETE FROM sealed WHERE promise = ?", .text(pendingChange.id))
    }

    // MARK: Pictures

    func picture(_ sha256: String) throws(SQLiteError) -> [UInt8]? {
        let rows = try database.query("SELECT bytes FROM picture WHERE sha256 = ?", [.text(sha256)])
        guard case .blob(let bytes)? = rows.first?.first else { return nil }
        return bytes
    }

    func put(picture sha256: String, _ bytes: [UInt8]) throws(SQLiteError) {
        try run("INSERT OR REPLACE INTO picture VALUES(?, ?)", .text(sha256), .blob(bytes))
    }

    func pictures() throws(SQLiteError) -> [String] {
        try database.query("SELECT sha256 FROM picture").compactMap { Self.text($0[0]) }
    }

    func drop(picture sha256: String) throws(SQLiteError) {
        try run("DELETE FROM picture WHERE sha256 = ?", .text(sha256))
    }

    // MARK: Stories

    func story(_ lot: String) throws(SQLiteError) -> (answer: String, seen: Int64)? {
        let row = try database.query("SELECT answer, seen FROM story WHERE lot = ?", [.text(lot)]).first
        guard let row, let answer = Self.text(row[0]), case .integer(let seen) = row[1] else { return nil }
        return (answer, seen)
    }

    func put(story lot: String, _ answer: String, seen: Int64) throws(SQLiteError) {
        try run("INSERT OR REPLACE INTO story VALUES(?, ?, ?)", .text(lot), .text(answer), .integer(seen))
        try run(
            "DELETE FROM story WHERE lot NOT IN (SELECT lot FROM story ORDER BY seen DESC LIMIT ?)",
            .integer(Int64(ClientLimits.stories)))
    }

    // MARK: SQL

    private func run(_ sql: String, _ values: SQLValue...) throws(SQLiteError) { try run(sql, values) }

    private func run(_ sql: String, _ values: [SQLValue]) throws(SQLiteError) { _ = try database.query(sql, values) }

    private func count(_ table: String) throws(SQLiteError) -> Int {
        guard case .integer(let count)? = try database.query("SELECT count(*) FROM \(table)").first?.first else {
            return 0
        }
        return Int(count)
    }

    private static func text(_ value: SQLValue?) -> String? {
        guard case .text(let text)? = value else { return nil }
        return text
    }
}

/// The person, token and pull position of a request to the server.
struct StoredSession: Equatable, Sendable {
    let me: FarmPerson?
    let token: String?
    let mark: Pulled.Mark?
}

/// The names of the settings.
enum SettingName: String {
    /// The signed-in person: `{"person":…,"name":…,"email":…,"role":…}`.
    case me
    /// The session's token; only its owner may read the file.
    case token
    /// The idempotency key of a sign-up and its e-mail, until the sign-up succeeds.
    case signingUp = "signing-up"
    /// The position up to which the records are complete: `{"position":…,"epoch":…,"scope":…,"at":…}`.
    case pulled
    /// The position of the newest public records that came from a node or another client, as `pulled`.
    case snapshot
    /// The key by which the farm signs its public responses, in base64url.
    case publisherKey = "publisher-key"
    /// The farm's key for requests that only it can read, in base64url.
    case sealingKey = "sealing-key"
    /// What is in the cart: `[{"offer":…,"quantity":…}]`.
    case cart
    /// The available ways to pay an order: `["at-pickup"]`.
    case payments
    /// How often promotions were shown on this device, and which showings were reported.
    case showings
    /// A random name of this device, for promotions that are held back from some.
    case device
    /// The farm's public keys as they were first seen, with later additions.
    case keys
    /// The newest checkpoint that was verified: `{"size":…,"root":…,"seen":…}`.
    case checkpoint
}

extension FarmClientError {
    init(_ error: SQLiteError) {
        if error.isBusy {
            self.init(.inUse, "Another client has this folder open, here or in another process.")
        } else {
            self.init(.store, "This device's own file cannot be used: \(error.operation), \(error.message)")
        }
    }
}
