import Crypto
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
        mark = try ReplicaMark.find(in: database)
        if mark != nil, try storing("open", { () throws(SQLiteError) in try database.isWithoutEntries }) {
            let meta = try JournalMeta(of: database)
            let file = try storing("open") { () throws(SQLiteError) in try JournalFile(database) }
            (self.file, epoch, position) = (file, meta.epoch, file.sealedTo)
            hash = try self.hash(at: position) ?? meta.start
        } else {
            let (file, staging) = try JournalTables.open(database, of: origin, chance: .system)
            (self.file, epoch, position, hash) = (file, staging.epoch, staging.position, staging.hash)
        }
    }

    /// Whether the file has no journal yet.
    package var isEmpty: Bool { file == nil }

    /// The last position that is in a segment; 0 if nothing is sealed.
    package var sealedTo: Position { file?.sealedTo ?? 0 }

    /// Returns the last position of the segments that are pruned, or were examined; 0 if none was.
    package func prunedTo() throws(LogFailure) -> Position {
        PrunedRun.end(version: try file?.storedVersion(of: BinaryString(PrunedRun.stream)) ?? 0)
    }

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
    /// Events that the file has in segments are skipped. Throws if the others do not continue the journal.
    package func apply(
        _ events: [[UInt8]], _ responses: [NumberedResponse], through sequence: Int64, of log: String
    ) throws(LogFailure) {
        var staged: [StagedEvent] = []
        var versions: [BinaryString: Int] = [:]
        var newEpoch: Epoch?
        for bytes in events {
            let envelope = try read(bytes)
            if file == nil { try create(envelope, log) }
            if envelope.origin == origin, envelope.position <= sealedTo { continue }
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
        guard let file else {
            guard !responses.isEmpty else { return }
            throw LogFailure(operation: "catch up", message: "\(origin) begins with no event")
        }
        let answers = try new(responses, in: file)
        try storing("catch up") { () throws(SQLiteError) in
            try file.write(staged)
            if let newEpoch { try file.setEpoch(newEpoch) }
            try file.commit(versions: versions, answers: answers, sequence: sequence)
        }
        mark = ReplicaMark(log: log, sequence: sequence)
    }

    /// Takes a segment from the log: in place of this machine's own, or as the next part of the journal.
    ///
    /// Throws if the segment is damaged, or is not of this journal.
    package func take(_ replicated: ReplicatedSegment, of log: String) throws(LogFailure) {
        let segment = try Segment(bytes: replicated.file)
        let positions = segment.head.positions
        if try digest(of: positions) == SHA256.hash(segment.note) { return }
        try segment.verify()
        let contents = try SegmentContents(of: segment)
        let isNext = positions.upperBound > position
        if file == nil, let first = contents.first, first.origin == origin { try create(first, log) }
        guard let file, segment.head.feed == origin.description, positions.lowerBound <= sealedTo + 1,
            try hash(at: positions.lowerBound - 1) == segment.head.before,
            try hash(at: min(position, positions.upperBound)) == segment.hash(at: min(position, positions.upperBound)),
            contents.ids.count == replicated.ids.count,
            zip(contents.ids, replicated.ids).allSatisfy({ $0 == nil || $0 == $1 }), let epoch = contents.epoch ?? epoch
        else {
            throw LogFailure(
                operation: "catch up", message: "\(positions) of \(segment.head.feed) is not a segment of this journal")
        }
        let folder = SegmentDirectory(ofJournal: path)
        let isReplacement = try digest(of: positions) != nil
        if isReplacement {
            try folder.write(pruned: replicated.file, positions)
        } else {
            try folder.write(replicated.file, positions)
        }
        try storing("catch up") { () throws(SQLiteError) in
            try file.take(segment, continuing: isNext ? (replicated, contents.versions, epoch) : nil)
        }
        if isReplacement { try folder.replace(positions) }
        if isNext { (self.epoch, position, hash) = (epoch, positions.upperBound, segment.head.after) }
    }

    /// Calls `body` with the segments that are pruned or were examined, in order.
    package func eachPrunedSegment(_ body: (ReplicatedSegment) throws(LogFailure) -> Void) throws(LogFailure) {
        let end = try prunedTo()
        guard end > 0 else { return }
        let (folder, size) = (SegmentDirectory(ofJournal: path), Position(StoreLimits.sealEvents))
        var streams = try storing("list streams") { () throws(SQLiteError) in try database.streamVersions() }
        let rows = try storing("list ids") { () throws(SQLiteError) in
            let rows = try database.prepare(
                """
                SELECT pos, id FROM sealed WHERE pos <= ?1 UNION ALL SELECT pos, id FROM entry WHERE pos <= ?1
                ORDER BY pos
                """)
            try rows.bind(1, Int64(clamping: end))
            return rows
        }
        for first in stride(from: 1, through: end, by: Position.Stride(size)) {
            var ids: [UUID] = []
            while Position(ids.count) < size,
                try storing("list ids", { () throws(SQLiteError) in try rows.step() }),
                rows.integer(0) == Int64(clamping: first) + Int64(ids.count)
            {
                ids.append(UUID(bytes: rows.blob(1)))
            }
            let positions = first...(first + size - 1)
            guard Position(ids.count) == size else {
                throw LogFailure(operation: "copy", message: "ids of \(positions) of \(origin) are missing")
            }
            // The versions of all streams are with the first segment.
            try body(ReplicatedSegment(ids: ids, streams: streams, file: folder.read(positions)))
            streams = []
        }
    }

    private func digest(of positions: ClosedRange<Position>) throws(LogFailure) -> [UInt8]? {
        try storing("find a segment") { () throws(SQLiteError) in try file?.digest(of: positions) }
    }

    /// Returns the chain hash at a position, or nil if the file does not have it.
    private func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
        if position == 0 { return try JournalMeta(of: database).start }
        return try storing("find a hash") { () throws(SQLiteError) in
            if let sealed = try file?.sealedHash(at: position) { return sealed }
            return try file?.hash(at: position)
        }
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

extension Database {
    /// Whether all entries of a journal are in segments.
    fileprivate var isWithoutEntries: Bool {
        get throws(SQLiteError) { try query("SELECT 1 FROM entry LIMIT 1").isEmpty }
    }

    /// Lists the streams of a journal with their versions.
    fileprivate func streamVersions() throws(SQLiteError) -> [ReplicatedSegment.StreamVersion] {
        try query("SELECT name, version FROM stream").compactMap { row in
            guard case .text(let stream) = row[0], case .integer(let version) = row[1] else { return nil }
            return .init(stream: stream, version: Int(version))
        }
    }
}
