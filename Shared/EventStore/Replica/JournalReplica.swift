package import EventSourcing
import SQLite
import Vocabulary
import Wire

/// Brings the file of a journal to the state of its replicated log, before the journal is opened.
///
/// Every chain hash is computed again, so an event that was changed on the way is refused.
package final class JournalReplica {
    /// The path of the journal's file.
    package let path: String
    private let database: Database
    private let origin: Origin
    private var file: JournalFile?
    private var epoch: Epoch?
    /// The last position; 0 in a file without a journal.
    package private(set) var position: Position = 0
    /// The chain hash at `position`.
    package private(set) var hash: [UInt8] = []
    /// The mark; nil if the file is no replica, or has no journal.
    package private(set) var mark: ReplicaMark?

    /// Opens the file of the origin `feed`, or creates an empty one.
    package init(path: String, feed: String) throws(LogFailure) {
        self.path = path
        origin = try JournalFormat.origin(of: feed)
        database = try storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .cache) }
        guard try !JournalTables.areMissing(in: database) else { return }
        let (file, staging) = try JournalTables.open(database, of: origin, chance: .system)
        self.file = file
        (epoch, position, hash) = (staging.epoch, staging.position, staging.hash)
        mark = try ReplicaMark.find(in: database)
    }

    /// Whether the file has no journal yet.
    package var isEmpty: Bool { file == nil }

    /// Marks a complete journal as the replica of a log that does not have all of it yet. Synced when it returns.
    package func begin(_ log: String) throws(LogFailure) {
        try committing("mark") { (database) throws(SQLiteError) in
            try ReplicaMark(log: log, sequence: 0).begin(in: database)
        }
        mark = ReplicaMark(log: log, sequence: 0)
        try synchronize()
    }

    /// Notes that file and log are equal at the message `sequence`.
    package func finish(at sequence: Int64) throws(LogFailure) {
        guard let mark else { throw LogFailure(operation: "mark", message: "the file is no replica") }
        try committing("mark") { (database) throws(SQLiteError) in try ReplicaMark.note(sequence, in: database) }
        self.mark = ReplicaMark(log: mark.log, sequence: sequence)
    }

    /// Removes the mark, so that the file is the journal. Synced when it returns.
    package func leave() throws(LogFailure) {
        try committing("mark") { (database) throws(SQLiteError) in try ReplicaMark.remove(from: database) }
        mark = nil
        try synchronize()
    }

    /// Appends events and stored responses of the log, up to its message `sequence`, in one transaction.
    ///
    /// Throws if the events do not continue the journal.
    package func apply(
        _ events: [[UInt8]], _ responses: [NumberedResponse], through sequence: Int64, of log: String
    ) throws(LogFailure) {
        var staged: [StagedEvent] = []
        var versions: [BinaryString: Int] = [:]
        var newEpoch: Epoch?
        for bytes in events {
            let envelope = try read(bytes)
            if file == nil { try create(envelope, log) }
            guard envelope.origin == origin, envelope.position == position + 1 else {
                throw LogFailure(
                    operation: "catch up",
                    message: "\(origin) is at \(position), and its log continues at \(envelope.position)")
            }
            (position, hash) = (envelope.position, Chain.next(after: hash, bytes))
            if envelope.epoch != epoch { (epoch, newEpoch) = (envelope.epoch, envelope.epoch) }
            let stream = BinaryString(envelope.stream)
            versions[stream] = envelope.version
            staged.append(
                StagedEvent(
                    stream: stream, version: envelope.version, id: envelope.id,
                    entry: Entry(position: position, hash: hash, bytes: bytes), envelope: nil))
        }
        guard let file else { throw LogFailure(operation: "catch up", message: "\(origin) begins with no event") }
        let answers = try new(responses, in: file)
        try storing("catch up") { () throws(SQLiteError) in
            try file.write(staged)
            if let newEpoch { try file.setEpoch(newEpoch) }
            try file.commit(versions: versions, answers: answers, sequence: sequence)
        }
        mark = ReplicaMark(log: log, sequence: sequence)
    }

    /// Syncs everything that was applied.
    private func synchronize() throws(LogFailure) {
        try storing("checkpoint") { () throws(SQLiteError) in _ = try database.checkpoint(truncate: true) }
    }

    /// Creates the tables for a journal that begins with this event.
    private func create(_ first: Envelope, _ log: String) throws(LogFailure) {
        file = try storing("create") { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            try database.execute(JournalFile.schema)
            try JournalMeta.write(
                to: database, of: origin, epoch: first.epoch, first: first.epoch, created: first.recorded)
            try ReplicaMark(log: log, sequence: 0).begin(in: database)
            return try JournalFile(database)
        }
        (epoch, position) = (first.epoch, 0)
        hash = Chain.start(feed: origin.description, epoch: first.epoch)
    }

    private func read(_ bytes: [UInt8]) throws(LogFailure) -> Envelope {
        do {
            return try EnvelopeCodec.read(bytes).envelope
        } catch {
            throw LogFailure(
                operation: "catch up", message: "the event of \(origin) at \(position + 1) cannot be read: \(error)")
        }
    }

    /// Returns the responses that the file does not have yet. A copy of a journal that was begun twice repeats some.
    private func new(
        _ responses: [NumberedResponse], in file: JournalFile
    ) throws(LogFailure) -> [CommandName: StoredResponse] {
        var new: [CommandName: StoredResponse] = [:]
        for response in responses {
            let name = CommandName(actor: response.actor, key: response.key)
            guard try file.storedResponse(to: name) == nil else { continue }
            new[name] = StoredResponse(
                digest: response.digest, answer: Response(status: response.status, body: response.body), of: name,
                sum: response.sum)
        }
        return new
    }

    private func committing(
        _ operation: String, _ body: (Database) throws(SQLiteError) -> Void
    ) throws(LogFailure) {
        try storing(operation) { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            try body(database)
            try database.execute("COMMIT")
        }
    }
}
