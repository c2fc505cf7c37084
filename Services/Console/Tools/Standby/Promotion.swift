import Crypto
import EventSourcing
import EventStore
import Glibc
import Host
import HubStore
import Postgres
import System
import Vocabulary

/// Makes a complete home out of a standby's database and key. The caller holds the home's lock.
struct Promotion {
    /// What was done.
    struct Promoted {
        var journals = 0
        var events: Position = 0
        var files = 0
        /// When everything beside the database was sent last.
        var filesAsOf: String?
    }

    private let farmPaths: FarmPaths
    private let key: X25519Key
    private var why: String { "the standby was promoted" }

    init(_ farmPaths: FarmPaths) throws {
        self.farmPaths = farmPaths
        key = try X25519Key(
            scalar: try File.read(StandbyFolder(of: farmPaths.home).receivingKey, limit: X25519Key.keySize))
    }

    func run() throws -> Promoted {
        let postgres = Child("postgres", try PrivatePostgres(farmPaths: farmPaths).command())
        _ = try postgres.tend(at: Clock.monotonicMicroseconds())
        do {
            let promoted = try promote()
            try postgres.stop(SIGINT, milliseconds: 20_000)
            return promoted
        } catch {
            try postgres.stop(SIGINT, milliseconds: 20_000)
            throw error
        }
    }

    private func promote() throws -> Promoted {
        let connection = try awaken()
        try connection.execute("SET synchronous_commit = local")
        if try connection.query("SELECT pg_is_in_recovery()") == [[.boolean(true)]] {
            try connection.execute("SELECT pg_promote(true, 120)")
        }
        guard try connection.query("SELECT pg_is_in_recovery()") == [[.boolean(false)]] else {
            throw Refusal("Postgres was not promoted in two minutes; see \(farmPaths.logs)/postgres.log.")
        }
        try StandbyDatabase.setSynchronous(false, connection)
        guard try HubDump.isThere(farmPaths.conninfo) else {
            throw Refusal("The standby has received no farm yet.")
        }
        var promoted = Promoted()
        try removeEarlierAttempt()
        promoted.filesAsOf = try filesAsOf(connection)
        promoted.files = try placeFiles(connection)
        let hub = try HubSnapshot(farmPaths.conninfo) {}
        // The old machine learns from this how far its journals have come.
        try connection.execute("DELETE FROM standby.promotion")
        for head in hub.feeds {
            if head.feed == hub.origin { try makeSegments(of: head) } else { try seed(head, connection) }
            promoted.journals += 1
            promoted.events += head.position
            try connection.run(
                "INSERT INTO standby.promotion(at, origin, position, hash) VALUES (now(), $1, $2, $3)",
                [.text(head.feed), .integer(Int64(clamping: head.position)), .bytes(head.hash)])
        }
        try HubLog(farmPaths.conninfo, feed: hub.origin, why: why, at: AdjustableClock.machine)
            .beginEpoch(why: why, at: AdjustableClock.machine)
        // What was sent to this standby stays until another one joins: an interrupted promotion needs it again.
        try connection.execute("DELETE FROM standby.member")
        return promoted
    }

    /// Returns a connection once Postgres accepts one.
    private func awaken() throws -> Connection {
        let end = Clock.monotonicMicroseconds() + 60_000_000
        while true {
            do throws(PostgresError) {
                return try Connection("\(farmPaths.conninfo) connect_timeout=2")
            } catch {
                guard Clock.monotonicMicroseconds() < end else {
                    throw Refusal("Postgres does not start (\(error.message)); see \(farmPaths.logs)/postgres.log.")
                }
                _ = try Poll.wait([], milliseconds: 50)
            }
        }
    }

    private func filesAsOf(_ connection: Connection) throws -> String? {
        let rows = try connection.query(
            "SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM standby.beat")
        guard case .text(let at)? = rows.first?.first else { return nil }
        return at
    }

    /// Removes the homes of services that an interrupted promotion has left.
    private func removeEarlierAttempt() throws {
        let own: Set = [
            "postgres", "standby", "logs", "lock", StandbySettings.fileName, RestoreMark.fileName,
        ]
        for name in try HomeContents.names(in: farmPaths.home) where !own.contains(name) {
            try Directory.remove("\(farmPaths.home)/\(name)")
        }
    }

    // MARK: Files

    private func placeFiles(_ connection: Connection) throws -> Int {
        let rows = try connection.query("SELECT name, bytes, parts FROM standby.file ORDER BY name")
        var count = 0
        for row in rows {
            guard case .text(let name) = row[0], case .integer(let bytes) = row[1], case .integer(let parts) = row[2],
                let place = Self.place(of: name)
            else { continue }
            let path = "\(farmPaths.home)/\(place)"
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            try Directory.create("/\(folder)", mode: 0o700)
            let writer = try FileWriter(path: path)
            var written = 0
            for part in 0..<parts {
                let sealed = try connection.query(
                    "SELECT sealed FROM standby.part WHERE name = $1 AND part = $2", [.text(name), .integer(part)])
                guard case .bytes(let sealed)? = sealed.first?.first else {
                    throw Refusal("A part of \(name) is missing at the standby.")
                }
                let content = try StandbySealing.open(sealed, key)
                try writer.write(content)
                written += content.count
            }
            guard written == bytes else { throw Refusal("\(name) is not complete at the standby.") }
            try writer.synchronize()
            try Directory.synchronize("/\(folder)")
            count += 1
        }
        return count
    }

    /// Returns where a file belongs in a home; nil for a name that is none of a home's.
    static func place(of name: String) -> String? {
        guard !name.split(separator: "/").contains("..") else { return nil }
        return name.hasPrefix("vault/")
            ? HomeContents.place(of: String(name.dropFirst("vault/".utf8.count)), part: .vault)
            : HomeContents.place(of: name, part: .facts)
    }

    // MARK: Journals

    /// Makes the segments of the ledger's journal, which is in the hub, that were not received.
    private func makeSegments(of head: Head) throws {
        guard let origin = Origin(head.feed) else { throw Refusal("\(head.feed) is no origin.") }
        let folder = "\(farmPaths.home)/\(origin.service)/\(origin.slot)"
        try Directory.create(folder, mode: 0o700)
        let reader = try OriginReader(farmPaths.conninfo, feed: head.feed)
        _ = try JournalSeed.makeMissingSegments(
            in: SegmentDirectory(ofJournal: "\(folder)/\(SQLiteLog.fileName)"), reading: reader,
            seals: try reader.seals())
    }

    /// Writes the journal of an origin from the hub, with the responses that it had stored.
    private func seed(_ head: Head, _ connection: Connection) throws {
        guard let origin = Origin(head.feed) else { throw Refusal("\(head.feed) is no origin.") }
        let folder = "\(farmPaths.home)/\(origin.service)/\(origin.slot)"
        try Directory.create(folder, mode: 0o700)
        let path = "\(folder)/\(SQLiteLog.fileName)"
        let reader = try OriginReader(farmPaths.conninfo, feed: head.feed)
        let seals = try reader.seals()
        try writeJournal(path, head, reader, seals: seals, connection)
        let log = try SQLiteLog(path: path, feed: head.feed, why: why, at: AdjustableClock.machine)
        let segments = SegmentDirectory(ofJournal: path)
        for run in try JournalSeed.makeMissingSegments(in: segments, reading: log.reader(), seals: seals) {
            try log.hand(over: run)
            try log.commit()
        }
        try log.beginEpoch(why: why, at: AdjustableClock.machine)
        try log.close()
    }

    /// Writes the file of a journal up to where the hub has it.
    private func writeJournal(
        _ path: String, _ head: Head, _ reader: OriginReader, seals: Int, _ connection: Connection
    ) throws {
        guard let first = try reader.firstEpoch() else { throw Refusal("The hub has no beginning of \(head.feed).") }
        let seed = try JournalSeed(path: path, feed: head.feed, firstEpoch: first, seals: seals)
        var next: Position = 1
        while next <= seed.sealedTo {
            let count = min(Position(Self.page), seed.sealedTo - next + 1)
            try seed.add(sealed: try reader.ids(from: next, count: Int(count)))
            next += count
        }
        while case let entries = try reader.read(
            from: next, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes), let last = entries.last
        {
            try seed.add(entries)
            next = last.position + 1
        }
        for row in try connection.query(
            "SELECT sealed FROM standby.response WHERE origin = $1 ORDER BY last", [.text(head.feed)])
        {
            guard case .bytes(let sealed)? = row.first else { continue }
            try seed.add(try ResponsePage.read(try StandbySealing.open(sealed, key)))
        }
        try seed.finish(at: head)
    }

    private static let page = 10_000
}
