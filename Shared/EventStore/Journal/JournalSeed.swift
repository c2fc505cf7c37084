import Crypto
public import EventSourcing
import SQLite
public import Vocabulary
import Wire

/// Writes a journal's file again from a mirror of it: its segments, its later entries and its stored responses.
///
/// The mirror has each event's bytes and chain hash, so the journal is the same to the last byte of its chain. Every
/// hash is computed again. The file is complete when ``finish()`` returns.
public final class JournalSeed {
    private let database: Database
    private let insertEntry: Statement
    private let insertSealed: Statement
    private let insertStream: Statement
    private let insertResponse: Statement
    private let origin: Origin
    /// The positions that are in segments.
    public private(set) var sealedTo: Position
    private var next: Position
    private var hash: [UInt8]
    private var streams: [String: (id: Int64, version: Int)] = [:]
    private var created: Instant?
    private let firstEpoch: Epoch

    /// Begins the file of an origin beside its segments, which are already in their folder.
    ///
    /// - Parameters:
    ///   - firstEpoch: the epoch of the first entry, on which the chain depends.
    ///   - seals: the number of runs that the mirrored journal has sealed; files of later runs are removed.
    public init(path: String, feed: String, firstEpoch: Epoch, seals: Int) throws(LogFailure) {
        origin = try JournalFormat.origin(of: feed)
        self.firstEpoch = firstEpoch
        hash = Chain.start(feed: feed, epoch: firstEpoch)
        let database = try storing("seed") { () throws(SQLiteError) in try Database(path: path, mode: .writer) }
        self.database = database
        guard try JournalTables.areMissing(in: database) else {
            throw LogFailure(operation: "seed", message: "there is a journal already")
        }
        (insertEntry, insertSealed, insertStream, insertResponse) = try storing("seed") { () throws(SQLiteError) in
            try database.execute("BEGIN IMMEDIATE")
            try database.execute(JournalFile.schema)
            return (
                try database.prepare("INSERT INTO entry(pos, stream, ver, id, hash, bytes) VALUES(?, ?, ?, ?, ?, ?)"),
                try database.prepare("INSERT INTO sealed(id, pos) VALUES(?, ?)"),
                try database.prepare("INSERT INTO stream(id, name, version) VALUES(?, ?, ?)"),
                try database.prepare(
                    "INSERT INTO answer(actor, key, digest, status, body, sum, number) VALUES(?, ?, ?, ?, ?, ?, ?)")
            )
        }
        (next, sealedTo) = (1, 0)
        sealedTo = try takeSegments(of: path, seals: seals)
    }

    /// Lists the segments, and takes the streams and the last hash from them. Returns the last sealed position.
    private func takeSegments(of path: String, seals: Int) throws(LogFailure) -> Position {
        let folder = SegmentDirectory(ofJournal: path)
        for (index, name) in try folder.names().enumerated() {
            guard index < seals else {
                try folder.remove(name)
                continue
            }
            let segment = try Segment(path: "\(folder.path)/\(name)")
            let head = segment.head
            guard head.feed == origin.description, head.positions.lowerBound == next, head.before == hash else {
                throw LogFailure(operation: "seed", message: "\(name) is not the next run of \(origin)")
            }
            for block in head.blocks.indices {
                for entry in try segment.entries(inBlock: block) where !entry.isPruned { _ = try note(entry) }
            }
            try storing("seed") { () throws(SQLiteError) in
                _ = try database.query(
                    "INSERT INTO segment(first, last, hash, digest) VALUES(?, ?, ?, ?)",
                    [
                        .integer(Int64(clamping: head.positions.lowerBound)),
                        .integer(Int64(clamping: head.positions.upperBound)), .blob(head.after),
                        .blob(SHA256.hash(segment.note)),
                    ])
            }
            (hash, next) = (head.after, head.positions.upperBound + 1)
        }
        return next - 1
    }

    /// Makes the segments that a mirrored journal has sealed and whose files are missing, with the key that is in their
    /// folder, and returns them. Files of later runs are removed.
    ///
    /// - Parameters:
    ///   - reader: the journal, or its mirror.
    ///   - seals: the number of runs that the journal has sealed.
    public static func makeMissingSegments(
        in folder: SegmentDirectory, reading reader: any LogReader, seals: Int, events: Int = StoreLimits.sealEvents
    ) throws(LogFailure) -> [SealedRun] {
        let names = try folder.names()
        for name in names.dropFirst(seals) { try folder.remove(name) }
        var runs: [SealedRun] = []
        for index in min(names.count, seals)..<seals {
            let first = Position(index * events) + 1
            runs.append(try SealedRun.make(first...(first + Position(events) - 1), reading: reader, in: folder))
        }
        return runs
    }

    /// Adds the ids of sealed events, by their positions.
    public func add(sealed ids: [(position: Position, id: UUID)]) throws(LogFailure) {
        try storing("seed") { () throws(SQLiteError) in
            for (position, id) in ids { try insertSealed.run(.blob(id.bytes), .integer(Int64(clamping: position))) }
        }
    }

    /// Adds the next entries behind the segments. Throws if they do not continue the chain, or are pruned.
    public func add(_ entries: [Entry]) throws(LogFailure) {
        for entry in entries {
            guard entry.position == next, !entry.isPruned, Chain.next(after: hash, entry.bytes) == entry.hash else {
                throw LogFailure(operation: "seed", message: "the chain of \(origin) is broken at \(entry.position)")
            }
            let envelope = try note(entry)
            let stream = streams[envelope.stream]?.id ?? 0
            try storing("seed") { () throws(SQLiteError) in
                try insertEntry.run(
                    .integer(Int64(clamping: entry.position)), .integer(stream), .integer(Int64(envelope.version)),
                    .blob(envelope.id.bytes), .blob(entry.hash), .blob(entry.bytes))
            }
            (hash, next) = (entry.hash, entry.position + 1)
        }
    }

    /// Adds stored responses, as ``SQLiteReader/responses(after:limit:)`` returns them.
    public func add(_ responses: [NumberedResponse]) throws(LogFailure) {
        try storing("seed") { () throws(SQLiteError) in
            for response in responses {
                try insertResponse.run(
                    .text(response.actor), .text(response.key), .blob(response.digest),
                    .integer(Int64(response.status)), .blob(response.body), .integer(response.sum),
                    .integer(response.number))
            }
        }
    }

    /// Completes the file. Throws unless it ends where the mirror does.
    public func finish(at head: Head) throws(LogFailure) {
        guard head.position == next - 1, head.hash == hash, let created else {
            throw LogFailure(
                operation: "seed", message: "\(origin) ends at \(next - 1), and its mirror at \(head.position)")
        }
        try storing("seed") { () throws(SQLiteError) in
            for (name, stream) in streams {
                try insertStream.run(.integer(stream.id), .text(name), .integer(Int64(stream.version)))
            }
            try JournalMeta.write(to: database, of: origin, epoch: head.epoch, first: firstEpoch, created: created)
            try database.execute("COMMIT")
            _ = try database.checkpoint(truncate: true)
        }
    }

    /// Notes an entry's stream, and the time of the first one.
    private func note(_ entry: Entry) throws(LogFailure) -> Envelope {
        let envelope: Envelope
        do {
            envelope = try EnvelopeCodec.read(entry.bytes).envelope
        } catch {
            throw LogFailure(operation: "seed", message: "the event at \(entry.position) cannot be read: \(error)")
        }
        if created == nil { created = envelope.recorded }
        let known = streams[envelope.stream]
        streams[envelope.stream] = (known?.id ?? Int64(streams.count + 1), max(known?.version ?? 0, envelope.version))
        return envelope
    }
}

extension SQLiteReader {
    /// Returns the stored responses behind a number, in their order.
    public func responses(after number: Int64, limit: Int) throws(LogFailure) -> [NumberedResponse] {
        try storing("read responses") { () throws(SQLiteError) in
            let database = try Database(path: path, mode: .reader)
            return try database.query(
                """
                SELECT number, actor, key, digest, status, body, sum FROM answer WHERE number > ?
                ORDER BY number LIMIT ?
                """, [.integer(number), .integer(Int64(limit))]
            ).compactMap { row in
                guard case .integer(let number) = row[0], case .text(let actor) = row[1],
                    case .text(let key) = row[2], case .blob(let digest) = row[3], case .integer(let status) = row[4],
                    case .integer(let sum) = row[6]
                else { return nil }
                let body: [UInt8] = if case .blob(let bytes) = row[5] { bytes } else { [] }
                return NumberedResponse(
                    number: number, actor: actor, key: key, digest: digest, status: Int(status), body: body, sum: sum)
            }
        }
    }
}
