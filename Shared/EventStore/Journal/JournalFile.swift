import Crypto
import EventSourcing
import SQLite
import Vocabulary
import Wire

/// The SQLite file of one journal, opened by its only writer.
final class JournalFile {
    private let database: Database
    private let beginning: Statement
    private let committing: Statement
    private let insertEntry: Statement
    private let insertStream: Statement
    private let updateStream: Statement
    private let insertAnswer: Statement
    private let findStream: Statement
    private let findID: Statement
    private let findSealed: Statement
    private let findAnswer: Statement
    private var streams = GenerationalCache<BinaryString, Stream>(limit: StoreLimits.streamsCached)
    private var nextStream: Int64
    /// The number of the next stored response.
    private var nextResponse: Int64
    /// The first look-up failure.
    private(set) var failure: LogFailure?
    /// The last sealed position; 0 if nothing is sealed.
    private(set) var sealedTo: Position = 0
    /// The first position whose entry is still in the file.
    private var oldest: Position = 1
    /// The streams written in the open transaction, with their row ids. New ones have no row in `stream` yet.
    private var met: [BinaryString: (id: Int64, isNew: Bool)] = [:]

    /// A row of the `stream` table.
    private struct Stream {
        let id: Int64
        let version: Int
    }

    static let schema = """
        CREATE TABLE meta(
            origin TEXT NOT NULL, epoch TEXT NOT NULL, firstepoch TEXT NOT NULL, created TEXT NOT NULL,
            format INTEGER NOT NULL);
        CREATE TABLE entry(
            pos INTEGER PRIMARY KEY, stream INTEGER NOT NULL, ver INTEGER NOT NULL, id BLOB NOT NULL,
            hash BLOB NOT NULL, bytes BLOB NOT NULL);
        CREATE UNIQUE INDEX entry_id ON entry(id);
        CREATE TABLE stream(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL);
        CREATE TABLE answer(
            actor TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, status INTEGER NOT NULL,
            body BLOB NOT NULL, sum INTEGER NOT NULL, number INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(actor, key))
            WITHOUT ROWID;
        \(responseNumbers)
        \(sealSchema)
        PRAGMA user_version = \(JournalFormat.fileVersion);
        """

    /// The tables that version 2 added: the segments, and the positions of ids whose entries were moved to a segment.
    static let sealSchema = """
        CREATE TABLE segment(first INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash BLOB NOT NULL, digest BLOB NOT NULL);
        CREATE TABLE sealed(id BLOB PRIMARY KEY, pos INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// The index that version 4 added: the order in which responses were stored, by which a standby is sent new ones.
    static let responseNumbers = "CREATE UNIQUE INDEX answer_number ON answer(number);"

    /// Prepares the statements. Requires the tables to exist.
    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        beginning = try database.prepare("BEGIN IMMEDIATE")
        committing = try database.prepare("COMMIT")
        insertEntry = try database.prepare(
            "INSERT INTO entry(pos, stream, ver, id, hash, bytes) VALUES(?, ?, ?, ?, ?, ?)")
        insertStream = try database.prepare("INSERT INTO stream(id, name, version) VALUES(?, ?, ?)")
        updateStream = try database.prepare("UPDATE stream SET version = ? WHERE id = ?")
        insertAnswer = try database.prepare(
            "INSERT INTO answer(actor, key, digest, status, body, sum, number) VALUES(?, ?, ?, ?, ?, ?, ?)")
        findStream = try database.prepare("SELECT id, version FROM stream WHERE name = ?")
        findID = try database.prepare("SELECT pos FROM entry WHERE id = ?")
        findSealed = try database.prepare("SELECT pos FROM sealed WHERE id = ?")
        findAnswer = try database.prepare("SELECT digest, status, body, sum FROM answer WHERE actor = ? AND key = ?")
        let newest = try database.query("SELECT last FROM segment ORDER BY first DESC LIMIT 1")
        if case .integer(let last)? = newest.first?.first {
            sealedTo = Position(clamping: last)
        }
        if case .integer(let first)? = try database.query("SELECT min(pos) FROM entry").first?.first {
            oldest = Position(clamping: first)
        }
        guard case .integer(let last)? = try database.query("SELECT coalesce(max(id), 0) FROM stream").first?.first
        else { throw SQLiteError(code: 1, operation: "query", message: "no number of streams") }
        nextStream = last + 1
        let newestResponse = try database.query("SELECT max(number) FROM answer").first?.first
        nextResponse = if case .integer(let number)? = newestResponse { number + 1 } else { 1 }
    }

    /// Inserts events in the open transaction, which the first insert begins.
    func write(_ events: [StagedEvent]) throws(SQLiteError) {
        if !database.inTransaction { try beginning.run() }
        for event in events {
            let stream = try number(of: event.stream)
            try insertEntry.bind(1, event.entry.position)
            try insertEntry.bind(2, stream)
            try insertEntry.bind(3, event.version)
            try insertEntry.bind(4, event.id.bytes)
            try insertEntry.run(lending: event.entry.hash, at: 5, and: event.entry.bytes, at: 6)
        }
    }

    /// Inserts everything else that is staged and commits, with one sync unless the file is a replica.
    ///
    /// - Parameter sequence: how far a replica's file is in its log.
    func commit(
        versions: [BinaryString: Int], answers: [CommandName: StoredResponse], sealing run: SealedRun? = nil,
        pruning pruned: PrunedRun? = nil, sequence: Int64? = nil
    ) throws(SQLiteError) {
        if !database.inTransaction { try beginning.run() }
        for (stream, version) in versions {
            let (id, isNew) = try place(of: stream)
            if isNew {
                try insertStream.run(.integer(id), .text(stream.text), .integer(Int64(version)))
            } else {
                try updateStream.run(.integer(Int64(version)), .integer(id))
            }
        }
        for (command, kept) in answers {
            try insertAnswer.run(
                .text(command.actor.text), .text(command.key.text), .blob(kept.digest),
                .integer(Int64(kept.answer.status)), .blob(kept.answer.body), .integer(kept.sum(of: command)),
                .integer(nextResponse))
            nextResponse += 1
        }
        if let run { try insert(run) }
        if let pruned { try replace(pruned) }
        if let sequence { try ReplicaMark.note(sequence, in: database) }
        try committing.run()
        if let run { sealedTo = run.head.positions.upperBound }
        for (stream, version) in versions {
            if let id = met[stream]?.id { streams.insert(Stream(id: id, version: version), for: stream) }
        }
        met.removeAll(keepingCapacity: true)
    }

    private func insert(_ run: SealedRun) throws(SQLiteError) {
        let positions = run.head.positions
        let insert = try database.prepare("INSERT INTO segment(first, last, hash, digest) VALUES(?, ?, ?, ?)")
        try insert.run(
            .integer(Int64(clamping: positions.lowerBound)), .integer(Int64(clamping: positions.upperBound)),
            .blob(run.head.after), .blob(run.digest))
    }

    /// Replaces the digest of the run's segment by that of the pruned file.
    private func replace(_ run: PrunedRun) throws(SQLiteError) {
        _ = try database.query(
            "UPDATE segment SET digest = ? WHERE first = ?",
            [.blob(run.digest), .integer(Int64(clamping: run.positions.lowerBound))])
    }

    /// Names a segment that was made elsewhere, and commits: in place of the one for its positions, or as the next.
    ///
    /// - Parameters:
    ///   - continuing: what is known of the events of a segment that ends behind this file; nil for an earlier one,
    ///     whose events this file has or had.
    func take(
        _ segment: Segment, continuing: (replicated: ReplicatedSegment, versions: [String: Int], epoch: Epoch)?
    ) throws(SQLiteError) {
        let positions = segment.head.positions
        var versions: [BinaryString: Int] = [:]
        if !database.inTransaction { try beginning.run() }
        _ = try database.query(
            "INSERT OR REPLACE INTO segment(first, last, hash, digest) VALUES(?, ?, ?, ?)",
            [
                .integer(Int64(clamping: positions.lowerBound)), .integer(Int64(clamping: positions.upperBound)),
                .blob(segment.head.after), .blob(SHA256.hash(segment.note)),
            ])
        if let continuing {
            try database.execute("INSERT OR IGNORE INTO sealed(id, pos) SELECT id, pos FROM entry; DELETE FROM entry")
            let insert = try database.prepare("INSERT OR IGNORE INTO sealed(id, pos) VALUES(?, ?)")
            for (id, position) in zip(continuing.replicated.ids, positions) {
                try insert.run(.blob(id.bytes), .integer(Int64(clamping: position)))
            }
            for stream in continuing.replicated.streams { versions[BinaryString(stream.stream)] = stream.version }
            for (stream, version) in continuing.versions {
                versions[BinaryString(stream)] = max(version, versions[BinaryString(stream)] ?? 0)
            }
            try setEpoch(continuing.epoch)
            oldest = positions.upperBound + 1
        }
        try commit(versions: versions, answers: [:])
        sealedTo = max(sealedTo, positions.upperBound)
    }

    /// Returns whether a run is sealed here in its unpruned form.
    func isSealed(_ run: PrunedRun) throws(SQLiteError) -> Bool {
        try digest(of: run.positions) == run.sealedDigest
    }

    /// Returns SHA-256 of the signed note of a run's segment file, or nil if the run is not sealed.
    func digest(of positions: ClosedRange<Position>) throws(SQLiteError) -> [UInt8]? {
        let rows = try database.query(
            "SELECT digest FROM segment WHERE first = ? AND last = ?",
            [.integer(Int64(clamping: positions.lowerBound)), .integer(Int64(clamping: positions.upperBound))])
        guard case .blob(let digest)? = rows.first?.first else { return nil }
        return digest
    }

    /// Completes a prune that a crashed process left unfinished.
    func settlePruned(in folder: SegmentDirectory) throws(LogFailure) {
        try folder.settle { (positions, note) throws(LogFailure) in
            try storing("find a segment") { () throws(SQLiteError) in
                try digest(of: positions) == SHA256.hash(note)
            }
        }
    }

    /// Whether the file still contains entries that are sealed.
    var hasSealedRows: Bool { oldest <= sealedTo }

    /// Deletes the oldest sealed entries from the file, at most `StoreLimits.rowsDropped`. Their ids move to `sealed`.
    func dropSealed() throws(SQLiteError) {
        guard hasSealedRows else { return }
        let last = min(sealedTo, oldest + Position(StoreLimits.rowsDropped) - 1)
        let range: [SQLValue] = [.integer(Int64(clamping: oldest)), .integer(Int64(clamping: last))]
        try database.execute("BEGIN IMMEDIATE")
        _ = try database.query(
            "INSERT OR IGNORE INTO sealed(id, pos) SELECT id, pos FROM entry WHERE pos BETWEEN ? AND ?", range)
        _ = try database.query("DELETE FROM entry WHERE pos BETWEEN ? AND ?", range)
        try database.execute("COMMIT")
        oldest = last + 1
    }

    /// Returns the chain hash at the end of a segment, or nil if no segment ends there.
    func sealedHash(at position: Position) throws(SQLiteError) -> [UInt8]? {
        let rows = try database.query("SELECT hash FROM segment WHERE last = ?", [.integer(Int64(clamping: position))])
        guard case .blob(let hash)? = rows.first?.first else { return nil }
        return hash
    }

    /// Returns the chain hash at a position, or nil if its entry is not in the file.
    func hash(at position: Position) throws(SQLiteError) -> [UInt8]? {
        let rows = try database.query("SELECT hash FROM entry WHERE pos = ?", [.integer(Int64(clamping: position))])
        guard case .blob(let hash)? = rows.first?.first else { return nil }
        return hash
    }

    func setEpoch(_ epoch: Epoch) throws(SQLiteError) {
        if !database.inTransaction { try beginning.run() }
        _ = try database.query("UPDATE meta SET epoch = ?", [.text(epoch.description)])
    }

    /// Checkpoints the WAL as far as open readers permit. Returns whether all of it was moved into the database.
    func checkpoint(truncate: Bool) throws(SQLiteError) -> Bool {
        let (pages, moved) = try database.checkpoint(truncate: truncate)
        return pages == moved
    }

    func releaseMemory() { database.releaseMemory() }

    /// Returns the row id of a stream, and whether its row is still to be inserted.
    private func place(of stream: BinaryString) throws(SQLiteError) -> (id: Int64, isNew: Bool) {
        if let known = met[stream] { return known }
        let place: (id: Int64, isNew: Bool)
        if let kept = try kept(stream) {
            place = (kept.id, false)
        } else {
            place = (nextStream, true)
            nextStream += 1
        }
        met[stream] = place
        return place
    }

    private func number(of stream: BinaryString) throws(SQLiteError) -> Int64 {
        try place(of: stream).id
    }

    private func kept(_ stream: BinaryString) throws(SQLiteError) -> Stream? {
        if let cached = streams[stream] { return cached }
        defer { findStream.reset() }
        try findStream.bind(1, stream.text)
        guard try findStream.step() else { return nil }
        let found = Stream(id: findStream.integer(0), version: Int(findStream.integer(1)))
        streams.insert(found, for: stream)
        return found
    }
}

extension JournalFile: CommittedJournal {
    func storedVersion(of stream: BinaryString) throws(LogFailure) -> Int {
        try lookUp("look up a stream") { () throws(SQLiteError) in try kept(stream)?.version ?? 0 }
    }

    func storedPosition(of id: UUID) throws(LogFailure) -> Position? {
        try lookUp("look up an id") { () throws(SQLiteError) in
            defer { findID.reset() }
            try findID.bind(1, id.bytes)
            if try findID.step() { return Position(clamping: findID.integer(0)) }
            guard sealedTo > 0 else { return nil }
            defer { findSealed.reset() }
            try findSealed.bind(1, id.bytes)
            return try findSealed.step() ? Position(clamping: findSealed.integer(0)) : nil
        }
    }

    func storedResponse(to command: CommandName) throws(LogFailure) -> StoredResponse? {
        try lookUp("look up a response") { () throws(SQLiteError) in
            defer { findAnswer.reset() }
            try findAnswer.bind(1, command.actor.text)
            try findAnswer.bind(2, command.key.text)
            guard try findAnswer.step() else { return nil }
            return StoredResponse(
                digest: findAnswer.blob(0),
                answer: Response(status: Int(findAnswer.integer(1)), body: findAnswer.blob(2)), of: command,
                sum: findAnswer.integer(3))
        }
    }

    private func lookUp<Found>(
        _ operation: String, _ body: () throws(SQLiteError) -> Found
    ) throws(LogFailure) -> Found {
        do throws(LogFailure) {
            return try storing(operation, body)
        } catch {
            if failure == nil { failure = error }
            throw error
        }
    }
}
