import Crypto
public import EventSourcing
import EventStore
import SQLite
public import Vocabulary

/// Why the vault did not do what it was asked.
public enum VaultError: Error, Equatable, Sendable {
    /// Another record of that kind has this look-up key.
    case taken
    /// A record, name or look-up key is beyond `VaultLimits`.
    case tooLarge(bytes: Int)
    /// The person was erased; nothing more is kept about them.
    case erased
    /// A sealed field is not what was sealed under that person's key and context.
    case unreadable
    case failed(LogFailure)
}

/// What must be forgettable or secret: accounts, sessions, keys, and everything that identifies a person.
///
/// One SQLite file (0600), every change synced before the call returns, never replayed. What is deleted or replaced is
/// overwritten in the file (secure_delete) and cut off the WAL, so that its bytes are nowhere in the folder.
/// One thread owns it.
public final class Vault {
    /// The vault's file within its folder.
    public static let fileName = "vault.db"

    /// One record: what it is, its name among its kind, and what the owner of the vault wrote.
    public struct Record: Sendable, Equatable {
        public let kind: String
        public let id: String
        public let fields: [UInt8]

        public init(kind: String, id: String, fields: [UInt8]) {
            self.kind = kind
            self.id = id
            self.fields = fields
        }
    }

    private let database: Database
    private let statements: VaultStatements
    /// Whether the WAL may still hold bytes that were deleted, because a reader kept it from being cut.
    private var isUntidy = false

    /// Opens the vault at `path`, or makes it.
    public init(path: String) throws(VaultError) {
        do throws(SQLiteError) {
            database = try Database(path: path, mode: .writer)
            try VaultStatements.prepare(database)
            statements = try VaultStatements(database)
        } catch {
            throw .failed(LogFailure("open the vault", error))
        }
        // A process that died between a deletion and this left its bytes in the WAL.
        try tidy()
    }

    /// Writes a record, in place of the one of that kind and name if there is one.
    ///
    /// - Parameter lookUp: a key by which alone it can be found; unique within its kind.
    /// - Parameter person: whose record it is: `erase` takes it, too.
    public func put(
        kind: String, id: String, fields: [UInt8], lookUp: String? = nil, person: PersonID? = nil
    ) throws(VaultError) {
        for name in [kind, id, lookUp ?? "", person?.rawValue ?? ""]
        where name.utf8.count > VaultLimits.nameBytes {
            throw .tooLarge(bytes: name.utf8.count)
        }
        guard fields.count <= VaultLimits.recordBytes else { throw .tooLarge(bytes: fields.count) }
        if let person, try isErased(person) { throw .erased }
        let isReplaced = try get(kind: kind, id: id) != nil
        do throws(SQLiteError) {
            try statements.put.run(
                .text(kind), .text(id), lookUp.map { .text($0) } ?? .null,
                person.map { .text($0.rawValue) } ?? .null, .blob(fields))
        } catch {
            if error.isConstraint { throw .taken }
            throw .failed(LogFailure("put", error))
        }
        if isReplaced { try tidy() }
    }

    public func get(kind: String, id: String) throws(VaultError) -> [UInt8]? {
        try storing("get") { () throws(SQLiteError) in
            try statements.get.first(.text(kind), .text(id)) { $0.blob(0) }
        }
    }

    /// The record with this look-up key.
    public func find(kind: String, lookUp: String) throws(VaultError) -> Record? {
        try storing("find") { () throws(SQLiteError) in
            try statements.find.first(.text(kind), .text(lookUp)) { row in
                Record(kind: kind, id: row.text(0), fields: row.blob(1))
            }
        }
    }

    /// At most `VaultLimits.pageRecords` records of a kind, in byte order of their names, after `after` if given.
    public func all(kind: String, after: String = "") throws(VaultError) -> [Record] {
        try storing("list") { () throws(SQLiteError) in
            try statements.all.rows(.text(kind), .text(after), .integer(Int64(VaultLimits.pageRecords))) { row in
                Record(kind: kind, id: row.text(0), fields: row.blob(1))
            }
        }
    }

    /// Returns at most `VaultLimits.pageRecords` records of one kind and person, in byte order of their names.
    public func all(kind: String, of person: PersonID) throws(VaultError) -> [Record] {
        try storing("list") { () throws(SQLiteError) in
            try statements.allOf.rows(.text(person.rawValue), .text(kind), .integer(Int64(VaultLimits.pageRecords))) {
                Record(kind: kind, id: $0.text(0), fields: $0.blob(1))
            }
        }
    }

    /// Removes a record and its bytes; false if there was none.
    @discardableResult
    public func delete(kind: String, id: String) throws(VaultError) -> Bool {
        let isThere = try storing("delete") { () throws(SQLiteError) in
            try statements.delete.run(.text(kind), .text(id))
            return database.changes > 0
        }
        if isThere { try tidy() }
        return isThere
    }

    /// For when there is nothing else to do: cuts the WAL if a reader kept it from being cut.
    public func idle() throws(VaultError) {
        if isUntidy { try tidy() }
    }
}

extension Vault {
    /// Seals a personal field under that person's key, which is made when it is first needed: AES-256-GCM, 28 bytes
    /// longer than the field.
    ///
    /// - Parameter context: what the field is; only the same context opens it.
    public func seal(person: PersonID, _ field: [UInt8], context: String) throws(VaultError) -> [UInt8] {
        guard field.count <= VaultLimits.recordBytes else { throw .tooLarge(bytes: field.count) }
        guard try !isErased(person) else { throw .erased }
        let key = try key(of: person)
        do throws(CryptoError) {
            return try AESGCM.seal(key: key, plaintext: field, aad: aad(person, context))
        } catch {
            throw .failed(LogFailure(operation: "seal", message: error.reason))
        }
    }

    /// What was sealed; nil once the person is erased, for then nobody can know.
    public func open(person: PersonID, _ sealed: [UInt8], context: String) throws(VaultError) -> [UInt8]? {
        guard let key = try keptKey(of: person) else { return nil }
        do throws(CryptoError) {
            return try AESGCM.open(key: key, sealed: sealed, aad: aad(person, context))
        } catch {
            throw .unreadable
        }
    }

    /// Whether that person was erased.
    public func isErased(_ person: PersonID) throws(VaultError) -> Bool {
        try storing("look up a person") { () throws(SQLiteError) in
            try statements.erased.first(.text(person.rawValue)) { _ in true } ?? false
        }
    }

    /// Forgets a person: their records and their key, whose sealed fields nobody can open from then on.
    ///
    /// Only that it happened is kept, so that nothing is written about them again. Erasing twice is fine.
    public func erase(person: PersonID) throws(VaultError) {
        try storing("erase") { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                try statements.deleteRecords.run(.text(person.rawValue))
                try statements.deleteKey.run(.text(person.rawValue))
                try statements.markErased.run(.text(person.rawValue))
                try database.execute("COMMIT")
            } catch {
                // The first error is the one to tell; on most the transaction is gone already.
                if database.inTransaction { try database.execute("ROLLBACK") }
                throw error
            }
        }
        try tidy()
    }

    private func key(of person: PersonID) throws(VaultError) -> [UInt8] {
        if let key = try keptKey(of: person) { return key }
        let key = Random.bytes(AESGCM.keySize)
        try storing("make a key") { () throws(SQLiteError) in
            try statements.putKey.run(.text(person.rawValue), .blob(key))
        }
        return key
    }

    private func keptKey(of person: PersonID) throws(VaultError) -> [UInt8]? {
        try storing("look up a key") { () throws(SQLiteError) in
            try statements.key.first(.text(person.rawValue)) { $0.blob(0) }
        }
    }

    private func aad(_ person: PersonID, _ context: String) -> [UInt8] {
        Array(person.rawValue.utf8) + [0] + Array(context.utf8)
    }

    /// Moves the WAL into the file and cuts it to nothing.
    private func tidy() throws(VaultError) {
        do throws(SQLiteError) {
            try database.checkpoint(truncate: true)
            isUntidy = false
        } catch {
            // A reader, for example a backup, still needs it; what was deleted is deleted all the same.
            guard error.isBusy else { throw .failed(LogFailure("tidy up", error)) }
            isUntidy = true
        }
    }

    private func storing<Result>(
        _ operation: String, _ body: () throws(SQLiteError) -> Result
    ) throws(VaultError) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw .failed(LogFailure(operation, error))
        }
    }
}
