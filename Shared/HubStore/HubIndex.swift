public import EventSourcing
public import EventStore
import JSON
import Postgres
import Vocabulary
import Wire

extension HubReader: IndexVerifier {
    public func indexFlaws(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        try HubIndex(conninfo).check(shouldContinue, found)
    }
}

/// Verifies the index of the hub's tables against the events' bytes, while its writer runs.
private final class HubIndex {
    /// The mirrored head of one origin, as its entries give it.
    private struct MirroredOrigin {
        let name: String
        var position: Position = 0
        var hash: [UInt8] = []
        var epoch = Epoch(0)
        /// The head before a `FollowAccepted`, until the feed continues. The event is committed before the head is
        /// moved.
        var left: (position: Position, hash: [UInt8])?
    }

    private let connection: Connection
    private var next: Position = 1
    /// The mirrored origins by their number.
    private var lines: [Int64: MirroredOrigin] = [:]
    private var streams = StreamVersionCounter()
    private var first: Envelope?

    private static let page = 256

    init(_ conninfo: String) throws(LogFailure) {
        connection = try asking("connect") { () throws(PostgresError) in try Connection(conninfo) }
        _ = try query("SET default_transaction_read_only = on")
        _ = try query("SET search_path = pg_catalog")
    }

    /// Checks entries, then the index tables, then the stored responses.
    ///
    /// Entries never change, so they are read outside a transaction. The index tables change with each entry, so they
    /// are compared within one transaction, after the entries added meanwhile.
    func check(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        try checkEntries(shouldContinue, found)
        _ = try query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try checkEntries(shouldContinue, found)
        for flaw in [try flawOfMeta(), try flawOfFeeds(), try flawOfStreams()] { flaw.map(found) }
        _ = try query("COMMIT")
        try checkAnswers(shouldContinue, found)
    }

    private func checkEntries(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        while case let rows = try query(
            """
            SELECT hubpos, originhash, bytes, origin, epoch, pos, id FROM hub.entry
            WHERE hubpos >= $1 ORDER BY hubpos LIMIT \(Self.page)
            """, [.integer(Int64(clamping: next))]), !rows.isEmpty
        {
            for row in rows {
                if let position = row.first?.position, position > next {
                    found("an entry is missing (entry \(next))")
                    next = position
                }
                if let flaw = try flaw(of: row) { found("\(flaw) (entry \(next))") }
                next += 1
            }
            guard shouldContinue(next - 1) else { throw .checkEnded }
        }
    }

    private func flaw(of row: [PGValue]) throws(LogFailure) -> String? {
        guard row.count == 7, row[0] == .integer(Int64(clamping: next)), case .bytes(let hash) = row[1],
            case .bytes(let bytes) = row[2], case .integer(let origin) = row[3], case .integer(let epoch) = row[4],
            case .integer(let position) = row[5], case .bytes(let id) = row[6]
        else { return "an entry is missing or malformed" }
        guard var line = try line(origin) else { return "there is no feed of origin \(origin)" }
        guard position > 0 else { return "an entry is stored at \(position) of \(line.name)" }
        let entry = Entry(position: Position(clamping: position), hash: hash, bytes: bytes)
        let stated = Epoch(UInt64(bitPattern: epoch))
        let event = MirrorAdmission.event(entry, of: Head(feed: line.name, epoch: stated, position: 0, hash: []))
        var flaw: String?
        if !entry.isPruned {
            let before = try chain(origin, line, before: entry, stated)
            if event.id.bytes != id {
                flaw = "\(line.name) \(position) is stored under another id"
            } else if event.epoch != stated {
                flaw = "\(line.name) \(position) is stored with another epoch"
            } else if before.map({ Chain.next(after: $0, bytes) }) != hash {
                flaw = "the chain of \(line.name) breaks at \(position)"
            }
        }
        (line.position, line.hash, line.epoch, line.left) = (entry.position, hash, stated, nil)
        lines[origin] = line
        guard origin == Int64(HubSchema.ownFeed) else { return flaw }
        let own = learn(entry)
        return flaw ?? own
    }

    /// Applies an event of the ledger's own journal: the versions of its streams, and feeds that were moved back.
    private func learn(_ entry: Entry) -> String? {
        do throws(JSONError) {
            let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
            first = first ?? envelope
            streams.add(envelope.stream, envelope.version)
            guard envelope.name == FollowAccepted.name else { return nil }
            let accepted = try FollowAccepted(json: data)
            guard let number = lines.first(where: { $0.value.name == accepted.feed })?.key, var line = lines[number],
                let hash = Hex.decode(accepted.keptHash)
            else { return "it accepts what is not followed" }
            line.left = (line.position, line.hash)
            (line.position, line.hash) = (accepted.keptTo, hash)
            lines[number] = line
            return nil
        } catch {
            return "the ledger's own event cannot be read: \(error)"
        }
    }

    private func line(_ origin: Int64) throws(LogFailure) -> MirroredOrigin? {
        if let known = lines[origin] { return known }
        let rows = try query("SELECT name FROM hub.feed WHERE origin = $1", [.integer(origin)])
        guard case .text(let name)? = rows.first?.first else { return nil }
        return MirroredOrigin(name: PostgresText.unescape(name))
    }

    /// Returns the chain hash before an entry; nil if there is none.
    private func chain(
        _ origin: Int64, _ line: MirroredOrigin, before entry: Entry, _ epoch: Epoch
    ) throws(LogFailure) -> [UInt8]? {
        if entry.position == 1 { return Chain.start(feed: line.name, epoch: epoch) }
        if entry.position == line.position + 1 { return line.hash }
        // A branch of the feed that no operator accepted; another check reports it.
        let rows = try query(
            """
            SELECT originhash FROM hub.entry WHERE origin = $1 AND pos = $2 AND hubpos < $3
            ORDER BY hubpos DESC LIMIT 1
            """,
            [.integer(origin), .integer(Int64(clamping: entry.position - 1)), .integer(Int64(clamping: next))])
        guard case .bytes(let hash)? = rows.first?.first else { return nil }
        return hash
    }

    private func flawOfMeta() throws(LogFailure) -> String? {
        let rows = try query("SELECT format, origin, firstepoch, created FROM hub.meta")
        guard rows.count == 1, let first, case .integer(let firstEpoch) = rows[0][2] else {
            return "the hub tells nothing of itself"
        }
        guard rows[0][0] == .integer(Int64(JournalFormat.version)) else { return "the hub tells of another format" }
        guard rows[0][1] == .text(first.origin.description) else { return "the hub tells of another ledger" }
        guard rows[0][3] == .text(first.recorded.description) else {
            return "the hub tells of another time at which it was made than its first event"
        }
        let start = Chain.start(feed: HubSchema.feed, epoch: Epoch(UInt64(bitPattern: firstEpoch)))
        let beginning = try query("SELECT hubpos, hash, bytes FROM hub.entry WHERE hubpos = 1")
            .map { row throws(LogFailure) in try Entry(row) }
        guard Chain.firstBreak(in: beginning, after: start, at: 0) == nil else {
            return "the hub tells of another first epoch than its first event"
        }
        return nil
    }

    private func flawOfFeeds() throws(LogFailure) -> String? {
        let feeds = try HubTail.feeds(connection)
        guard feeds.count == lines.count else { return "\(feeds.count) feeds are stored for \(lines.count) origins" }
        for feed in feeds {
            guard let line = lines[Int64(feed.number)], line.name == feed.name, line.epoch == feed.epoch,
                (feed.position, feed.hash) == (line.position, line.hash)
                    || line.left.map({ ($0.position, $0.hash) == (feed.position, feed.hash) }) ?? false
            else { return "feed \(feed.name) is stored at \(feed.position), which is not its last entry" }
        }
        return nil
    }

    private func flawOfStreams() throws(LogFailure) -> String? {
        let kept = try query("SELECT name, version FROM hub.stream").map { row throws(LogFailure) in
            guard case .text(let name) = row[0], case .integer(let version) = row[1] else {
                throw LogFailure(operation: "read streams", message: "a stream is malformed")
            }
            return (stream: PostgresText.unescape(name), version: Int(version))
        }
        let own = lines[Int64(HubSchema.ownFeed)]?.position ?? 0
        return streams.flaw(ofStored: kept, head: own, isPruned: false)
    }

    private func checkAnswers(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure) {
        var answers = HubResponses(on: connection)
        while case let page = try answers.next(), !page.isEmpty {
            for (name, command, kept) in page where !kept.isWhole || name != HubJournal.name(of: command) {
                found(command.flaw)
            }
            guard shouldContinue(next - 1) else { throw .checkEnded }
        }
    }

    private func query(_ sql: String, _ values: [PGValue] = []) throws(LogFailure) -> [[PGValue]] {
        try asking("read the index") { () throws(PostgresError) in try connection.query(sql, values) }
    }
}

extension PGValue {
    /// The value as a hub position; nil for a value of another kind.
    fileprivate var position: Position? {
        if case .integer(let number) = self { Position(exactly: number) } else { nil }
    }
}
