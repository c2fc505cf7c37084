import Crypto
import EventSourcing
import EventStore
import Postgres
import Vocabulary

/// What the ledger's own journal holds in the hub's tables, and how what is staged gets there.
final class HubJournal {
    let session: PostgresSession
    /// The first look-up that failed.
    private(set) var failure: LogFailure?
    private var streams = GenerationalCache<BinaryString, Int>(limit: StoreLimits.streamsCached)

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// Rows that are sent as single statements in the round trip of the commit; more go by COPY, which takes three.
    private static let rowsInPipeline = 16

    /// Writes rows into the open transaction, which begins with the first of them.
    func write(_ rows: [[PGValue]]) throws(PostgresError) {
        try session.begin()
        session.isHeldByLog = true
        try session.connection.copy(into: "hub.entry", columns: HubSchema.entryColumns, rows: rows)
    }

    /// Lets go the bytes of entries in the open transaction, which begins with it or with what was staged before.
    func prune(_ feed: Int, _ positions: [Position]) throws(PostgresError) {
        var numbers = PostgresArray()
        for position in positions { numbers.append(plain: String(position)) }
        try session.connection.run(HubSchema.letGo, [.integer(Int64(feed)), .text(numbers.text)])
    }

    /// Writes everything and commits: one sync.
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

    /// Names of any length fit an index: SHA-256 over the hashes of actor and key.
    static func name(of command: CommandName) -> [UInt8] {
        SHA256.hash(SHA256.hash(Array(command.actor.text.utf8)), SHA256.hash(Array(command.key.text.utf8)))
    }
}

extension HubJournal: CommittedJournal {
    func keptVersion(of stream: BinaryString) throws(LogFailure) -> Int {
        if let version = streams[stream] { return version }
        let rows = try find(
            "look up a stream", "SELECT version FROM hub.stream WHERE name = $1",
            [.text(PostgresText.escape(stream.text))])
        guard case .integer(let version)? = rows.first?.first else { return 0 }
        streams.insert(Int(version), for: stream)
        return Int(version)
    }

    func keptPosition(of id: UUID) throws(LogFailure) -> Position? {
        let rows = try find(
            "look up an id", "SELECT pos FROM hub.entry WHERE id = $1 AND origin = $2 ORDER BY pos LIMIT 1",
            [.bytes(id.bytes), .integer(Int64(HubSchema.ownFeed))])
        guard case .integer(let position)? = rows.first?.first else { return nil }
        return Position(clamping: position)
    }

    func keptAnswer(to command: CommandName) throws(LogFailure) -> StoredResponse? {
        let rows = try find(
            "look up an answer", "SELECT digest, status, body, sum FROM hub.answer WHERE name = $1",
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
