import Crypto
public import EventSourcing
import EventStore
import SQLite
public import Vocabulary

/// The error of a `Vault` operation.
public enum VaultError: Error, Equatable, Sendable {
    /// Another record of that kind has this lookup key.
    case taken
    /// A record, name or lookup key exceeds `VaultLimits`.
    case tooLarge(bytes: Int)
    /// The person was erased, so nothing may be stored about them.
    case erased
    /// A sealed field was changed, or was sealed for another person or context.
    case unreadable
    /// The database returned an error.
    case failed(LogFailure)
}

/// The store of secret and erasable data: accounts, sessions, keys, and everything that identifies a person.
///
/// It is one SQLite file (mode 0600) and no journal: it is never replayed. Every change is synced before the call
/// returns. Deleted and replaced bytes are overwritten in the file (secure_delete) and removed from the WAL, so that no
/// file of the folder contains them. One thread owns it.
///
/// ```
/// let vault = try Vault(path: "\(folder)/\(Vault.fileName)")
/// try vault.put(kind: "contact", id: "c1", fields: bytes, lookUp: "anna@farm.test", person: person)
/// let sealed = try vault.seal(person: person, field, context: "address")
/// try vault.erase(person: person)  // from now on `sealed` cannot be opened
/// ```
public final class Vault {
    /// The vault's file within its folder.
    public static let fileName = "vault.db"

    /// One record.
    public struct Record: Sendable, Equatable {
        /// The kind of the record.
        public let kind: String
        /// Its name, unique within its kind.
        public let id: String
        /// Its contents, in a format of the caller.
        public let fields: [UInt8]

        /// Creates a record.
        public init(kind: String, id: String, fields: [UInt8]) {
            self.kind = kind
            self.id = id
            self.fields = fields
        }
    }

    private let database: Database
    private let statements: VaultStatements
    /// Whether the WAL may still contain deleted bytes, because a reader prevented its truncation.
    private var isUntidy = false

    /// Opens or creates the vault at `path`. Throws if a newer version of Furrow wrote it.
    public init(path: String) throws(VaultError) {
        do throws(SQLiteError) {
            database = try Database(path: path, mode: .writer)
            try VaultStatements.prepare(database)
            statements = try VaultStatements(database)
        } catch {
            throw .failed(LogFailure("open the vault", error))
        }
        // A process that was killed after a deletion may have left the deleted bytes in the WAL.
        try tidy()
    }

    /// Writes a record, replacing one of the same kind and name.
    ///
    /// Throws `taken` if another record of the kind has the lookup key, and `erased` if the person was erased.
    ///
    /// - Parameter lookUp: a key for `find`, unique within the kind.
    /// - Parameter person: the person to whom the record belongs; `erase` deletes it, too.
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

    /// Returns the contents of a record; nil if there is none.
    public func get(kind: String, id: String) throws(VaultError) -> [UInt8]? {
        try storing("get") { () throws(SQLiteError) in
            try statements.get.first(.text(kind), .text(id)) { $0.blob(0) }
        }
    }

    /// Returns the record with this lookup key; nil if there is none.
    public func find(kind: String, lookUp: String) throws(VaultError) -> Record? {
        try storing("find") { () throws(SQLiteError) in
            try statements.find.first(.text(kind), .text(lookUp)) { row in
                Record(kind: kind, id: row.text(0), fields: row.blob(1))
            }
        }
    }

    /// Returns at most `VaultLimits.pageRecords` records of a kind, in byte order of their names, those after `after`.
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

    /// Deletes a record and its bytes. Returns false if there was none.
    @discardableResult
    public func delete(kind: String, id: String) throws(VaultError) -> Bool {
        let isThere = try storing("delete") { () throws(SQLiteError) in
            try statements.delete.run(.text(kind), .text(id))
            return database.changes > 0
        }
        if isThere { try tidy() }
        return isThere
    }

    /// Truncates the WAL if a reader prevented it earlier. Call it when the service has nothing else to do.
    public func idle() throws(VaultError) {
        if isUntidy { try tidy() }
    }
}

extension Vault {
    /// Encrypts a personal field with the person's key (AES-256-GCM), which is created on first use. The result is 28
    /// bytes longer than the field. Throws `erased` if the person was erased.
    ///
    /// - Parameter context: the purpose of the field; it can be opened with the same context only.
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

    /// Decrypts a sealed field. Returns nil if the person has no key, as after an erasure.
    ///
    /// Throws `unreadable` if the field was changed, or was sealed for another person or context.
    public func open(person: PersonID, _ sealed: [UInt8], context: String) throws(VaultError) -> [UInt8]? {
        guard let key = try keptKey(of: person) else { return nil }
        do throws(CryptoError) {
            return try AESGCM.open(key: key, sealed: sealed, aad: aad(person, context))
        } catch {
            throw .unreadable
        }
    }

    /// Returns whether that person was erased.
    public func isErased(_ person: PersonID) throws(VaultError) -> Bool {
        try storing("look up a person") { () throws(SQLiteError) in
            try statements.erased.first(.text(person.rawValue)) { _ in true } ?? false
        }
    }

    /// Erases a person: deletes their records and their key, so that no sealed field can be opened again.
    ///
    /// The vault stores only that the person was erased, so that nothing is stored about them again. Erasing a person
    /// twice has no further effect.
    public func erase(person: PersonID) throws(VaultError) {
        try storing("erase") { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                try statements.deleteRecords.run(.text(person.rawValue))
                try statements.deleteKey.run(.text(person.rawValue))
                try statements.markErased.run(.text(person.rawValue))
                try database.execute("COMMIT")
            } catch {
                // The first error is thrown; most errors have already ended the transaction.
                if database.inTransaction { try database.execute("ROLLBACK") }
                throw error
            }
        }
        try tidy()
    }

    private func key(of person: PersonID) throws(VaultError) -> [UInt8] {
        if let key = try keptKey(of: person) { return key }
        let key = Random.bytes(AESGCM.keySize)
        try storing("create a key") { () throws(SQLiteError) in
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

    /// Checkpoints and truncates the WAL.
    private func tidy() throws(VaultError) {
        do throws(SQLiteError) {
            try database.checkpoint(truncate: true)
            isUntidy = false
        } catch {
            // A reader, for example a backup, still uses the WAL. The deletion itself is complete.
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
