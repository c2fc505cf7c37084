import EventSourcing
import SQLite
import Vocabulary
import Wire

/// Creates the tables of a journal file, or opens and verifies existing ones.
enum JournalTables {
    /// Returns whether the file is empty. Throws if it is not a journal or a newer version of Furrow wrote it.
    static func areMissing(in database: Database) throws(LogFailure) -> Bool {
        let found = try version(of: database)
        guard found == 0 else { return false }
        let tables = try storing("open") { () throws(SQLiteError) in try database.query("SELECT 1 FROM sqlite_schema") }
        guard tables.isEmpty else { throw LogFailure(operation: "open", message: "the file is no journal") }
        return true
    }

    /// Returns the schema version of the file; 0 for an empty file.
    static func version(of database: Database) throws(LogFailure) -> Int64 {
        let rows = try storing("open") { () throws(SQLiteError) in try database.query("PRAGMA user_version") }
        guard case .integer(let found)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "the file has no version")
        }
        try JournalFormat.checkVersion(found, knowing: JournalFormat.replicaVersion)
        return found
    }

    /// Upgrades a file of an older version, in one transaction.
    private static func renew(_ database: Database) throws(LogFailure) {
        let found = try version(of: database)
        guard found < JournalFormat.fileVersion else { return }
        try storing("renew") { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            if found < 2 { try database.execute(JournalFile.sealSchema) }
            if found < 3 { try database.execute("ALTER TABLE answer ADD COLUMN sum INTEGER NOT NULL DEFAULT 0") }
        }
        if found < 3 { try sumAnswers(in: database) }
        try storing("renew") { () throws(SQLiteError) in try database.execute(Self.numberAnswers) }
        try storing("renew") { () throws(SQLiteError) in
            _ = try database.query("UPDATE meta SET format = ?", [.integer(Int64(JournalFormat.fileVersion))])
            try database.execute("PRAGMA user_version = \(JournalFormat.fileVersion)")
            try database.execute("COMMIT")
        }
    }

    /// Numbers the responses of an older file, whose order is not known.
    private static let numberAnswers = """
        ALTER TABLE answer ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        UPDATE answer SET number = ranked.rank FROM (
            SELECT actor, key, row_number() OVER (ORDER BY actor, key) AS rank FROM answer) AS ranked
        WHERE answer.actor = ranked.actor AND answer.key = ranked.key;
        \(JournalFile.responseNumbers)
        """

    private static func sumAnswers(in database: Database) throws(LogFailure) {
        let (find, update) = try storing("renew") { () throws(SQLiteError) in
            (
                try StoredResponses(in: database),
                try database.prepare("UPDATE answer SET sum = ? WHERE actor = ? AND key = ?")
            )
        }
        var answers = find
        while case let page = try answers.next(), !page.isEmpty {
            try storing("renew") { () throws(SQLiteError) in
                for (command, kept) in page {
                    try update.run(.integer(kept.sum(of: command)), .text(command.actor.text), .text(command.key.text))
                }
            }
        }
    }

    /// Creates tables, epoch and first entry in one transaction. After a crash the file is empty or a complete journal.
    static func create(
        in database: Database, of origin: Origin, why: String, at now: Instant, chance: RandomSource
    ) throws(LogFailure) -> (JournalFile, Staging) {
        var chance = chance
        let epoch = Epoch(chance.epoch())
        let start = Chain.start(feed: origin.description, epoch: epoch)
        var staging = Staging(
            origin: origin, epoch: epoch, position: 0, hash: start, recorded: Instant(microseconds: 0), chance: chance)
        let file = try storing("create") { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            try database.execute(JournalFile.schema)
            try JournalMeta.write(to: database, of: origin, epoch: epoch, first: epoch, created: now)
            return try JournalFile(database)
        }
        let beginning = JournalFormat.beginning(previous: nil, keptTo: 0, keptHash: nil, why: why, of: origin)
        do throws(StageError) {
            _ = try staging.stage(beginning, at: now, over: file)
        } catch {
            throw LogFailure(operation: "create", message: "\(error)")
        }
        try storing("create") { () throws(SQLiteError) in
            try file.write(staging.events)
            try file.commit(versions: staging.versions, answers: staging.answers)
        }
        staging.forgetAll()
        return (file, staging)
    }

    /// Verifies the end of the journal and returns the file with a staging that continues from it.
    static func open(
        _ database: Database, of origin: Origin, chance: RandomSource
    ) throws(LogFailure) -> (JournalFile, Staging) {
        let meta = try JournalMeta(of: database)
        guard meta.origin == origin.description else {
            throw LogFailure(operation: "open", message: "it is the journal of \(meta.origin), not of \(origin)")
        }
        let rows = try storing("open") { () throws(SQLiteError) in
            try database.query(
                "SELECT pos, hash, bytes FROM entry ORDER BY pos DESC LIMIT ?",
                [.integer(Int64(StoreLimits.entriesVerified + 1))])
        }
        var entries: [Entry] = []
        for row in rows.reversed() {
            guard row.count == 3, case .integer(let position) = row[0], case .blob(let hash) = row[1],
                case .blob(let bytes) = row[2], let position = Position(exactly: position)
            else { throw LogFailure(operation: "open", message: "an entry is malformed") }
            entries.append(Entry(position: position, hash: hash, bytes: bytes))
        }
        // The first row only supplies the hash before the others, unless the journal begins with it.
        var ground = Entry(position: 0, hash: meta.start, bytes: [])
        if let first = entries.first, first.position > 1 {
            ground = first
            entries.removeFirst()
        }
        let recorded = try JournalFormat.verify(
            entries, after: ground.hash, at: ground.position, origin: origin, epoch: meta.epoch)
        let last = entries.last ?? ground
        try renew(database)
        let file = try storing("open") { () throws(SQLiteError) in try JournalFile(database) }
        return (
            file,
            Staging(
                origin: origin, epoch: meta.epoch, position: last.position, hash: last.hash, recorded: recorded,
                chance: chance)
        )
    }
}

/// The contents of a journal file's `meta` table.
struct JournalMeta {
    let origin: String
    let epoch: Epoch
    /// The chain hash before the first entry.
    let start: [UInt8]

    init(of database: Database) throws(LogFailure) {
        let rows = try storing("open") { () throws(SQLiteError) in
            try database.query("SELECT origin, epoch, firstepoch FROM meta")
        }
        guard rows.count == 1, rows[0].count == 3, case .text(let origin) = rows[0][0],
            case .text(let epochText) = rows[0][1], let epoch = Epoch(epochText),
            case .text(let firstText) = rows[0][2], let first = Epoch(firstText)
        else { throw LogFailure(operation: "open", message: "the file is no journal") }
        self.origin = origin
        self.epoch = epoch
        start = Chain.start(feed: origin, epoch: first)
    }

    /// Writes the row of a new file.
    static func write(
        to database: Database, of origin: Origin, epoch: Epoch, first: Epoch, created: Instant
    ) throws(SQLiteError) {
        _ = try database.query(
            "INSERT INTO meta(origin, epoch, firstepoch, created, format) VALUES(?, ?, ?, ?, ?)",
            [
                .text(origin.description), .text(epoch.description), .text(first.description),
                .text(created.description), .integer(Int64(JournalFormat.fileVersion)),
            ])
    }
}
