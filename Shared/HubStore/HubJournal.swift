import Crypto
import EventSourcing
import EventStore
import Postgres
import Vocabulary

/// The ledger's own journal in the hub's tables: look-ups, and writing what is staged.
final class HubJournal {
    let session: PostgresSession
    /// The first look-up failure.
    private(set) var failure: LogFailure?
    private var streams = GenerationalCache<BinaryString, Int>(limit: StoreLimits.streamsCached)

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// The most rows that are sent as single statements in the commit's round trip. More are sent by COPY, which takes
    /// three.
    private static let rowsInPipeline = 16

    /// Inserts rows in the open transaction, which the first insert begins.
    func write(_ rows: [[PGValue]]) throws(PostgresError) {
        try session.begin()
        session.isHeldByLog = true
        try session.connection.copy(into: "hub.entry", columns: HubSchema.entryColumns, rows: rows)
    }

    /// Prunes entries in the open transaction. Requires one to be open.
    func prune(_ feed: Int, _ positions: [Position]) throws(PostgresError) {
        var numbers = PostgresArray()
        for position in positions { numbers.append(plain: String(position)) }
        try session.connection.run(HubSchema.prune, [.integer(Int64(feed)), .text(numbers.text)])
    }

    /// Writes everything and commits, with one sync.
    func commit(
        _ rows: [[PGValue]], _ calls: [PostgresCall], versions: [BinaryString: Int],
        answers: [CommandName: StoredResponse]
    ) throws(PostgresError) {
        var statements: [PostgresCall] = []
        if rows.count > Self.rowsInPipeline {
            try write(rows)
        } else {
            statements = rows.map { (HubSchema.insertEntry, $0) }
        }
        statements += calls
        if !versions.isEmpty { statements.append(Self.upsert(versions)) }
        for (command, kept) in answers { statements.append(Self.insert(kept, for: command)) }
        try session.commit(statements)
        for (stream, version) in versions { streams.insert(version, for: stream) }
    }

    private static func upsert(_ versions: [BinaryString: Int]) -> PostgresCall {
        var names = PostgresArray()
        var numbers = PostgresArray()
        for (stream, version) in versions {
            names.append(PostgresText.escape(stream.text))
            numbers.append(plain: String(version))
        }
        return (HubSchema.upsertStreams, [.text(names.text), .text(numbers.text)])
    }

    private static func insert(_ kept: StoredResponse, for command: CommandName) -> PostgresCall {
        (
            HubSchema.insertAnswer,
            [
                .bytes(name(of: command)), .text(PostgresText.escape(command.actor.text)),
                .text(PostgresText.escape(command.key.text)), .bytes(kept.digest),
                .integer(Int64(kept.answer.status)), .bytes(kept.answer.body), .integer(kept.sum(of: command)),
            ]
        )
    }

    /// Returns the hashed name of a command: SHA-256 over the hashes of actor and key, which fits an index at any
    /// length.
    static func name(of command: CommandName) -> [UInt8] {
        SHA256.hash(SHA256.hash(Array(command.actor.text.utf8)), SHA256.hash(Array(command.key.text.utf8)))
    }
}

extension HubJournal: CommittedJournal {
    func storedVersion(of stream: BinaryString) throws(LogFailure) -> Int {
        if let version = streams[stream] { return version }
        let rows = try find(
            "look up a stream", "SELECT version FROM hub.stream WHERE name = $1",
            [.text(PostgresText.escape(stream.text))])
        guard case .integer(let version)? = rows.first?.first else { return 0 }
        streams.insert(Int(version), for: stream)
        return Int(version)
    }

    func storedPosition(of id: UUID) throws(LogFailure) -> Position? {
        let rows = try find(
            "look up an id", "SELECT pos FROM hub.entry WHERE id = $1 AND origin = $2 ORDER BY pos LIMIT 1",
            [.bytes(id.bytes), .integer(Int64(HubSchema.ownFeed))])
        guard case .integer(let position)? = rows.first?.first else { return nil }
        return Position(clamping: position)
    }

    func storedResponse(to command: CommandName) throws(LogFailure) -> StoredResponse? {
        let rows = try find(
            "look up a response", "SELECT digest, status, body, sum FROM hub.answer WHERE name = $1",
            [.bytes(Self.name(of: command))])
        guard let row = rows.first, row.count == 4, case .bytes(let digest) = row[0],
            case .integer(let status) = row[1], case .bytes(let body) = row[2], case .integer(let sum) = row[3]
        else { return nil }
        return StoredResponse(digest: digest, answer: Response(status: Int(status), body: body), of: command, sum: sum)
    }

    private func find(_ operation: String, _ sql: String, _ values: [PGValue]) throws(LogFailure) -> [[PGValue]] {
        do throws(LogFailure) {
            return try asking(operation) { () throws(PostgresError) in try session.connection.query(sql, values) }
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}
