import EventSourcing
import Glibc
import Host
import HubStore
import Postgres
import System
import Vocabulary

/// Makes a standby the farm server. The caller holds the locks of its homes.
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
    private let conninfo: String
    private static let why = "the standby was promoted"

    private init(_ farmPaths: FarmPaths) throws {
        self.farmPaths = farmPaths
        conninfo = try farmPaths.runningDatabase
    }

    /// Promotes a standby whose homes are locked, and makes it known there.
    static func perform(_ farmPaths: FarmPaths, _ settings: StandbySettings) throws -> Promoted {
        let homes = try farmPaths.allHomes
        try RestoreMark.set(homes, origin: "a promotion")
        let promoted = try Promotion(farmPaths).run()
        try RestoreMark.clear(homes)
        var own = settings
        (own.role, own.peer) = (.primary, nil)
        try own.write(to: farmPaths.pair)
        return promoted
    }

    private func run() throws -> Promoted {
        // In containers, the database runs.
        guard !farmPaths.isStack else { return try promote() }
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
        let follow = StandbyFolder(farmPaths).follow
        if File.exists(follow) { try File.remove(follow) }
        try connection.execute("SET synchronous_commit = local")
        if try connection.query("SELECT pg_is_in_recovery()") == [[.boolean(true)]] {
            try connection.execute("SELECT pg_promote(true, 120)")
        }
        guard try connection.query("SELECT pg_is_in_recovery()") == [[.boolean(false)]] else {
            throw Refusal("Postgres was not promoted in two minutes; see its log.")
        }
        try StandbyDatabase.setSynchronous(false, connection)
        guard try HubDump.isThere(conninfo) else {
            throw Refusal("The standby has received no farm yet.")
        }
        try removeEarlierAttempt()
        var promoted = Promoted()
        promoted.filesAsOf = try filesAsOf(connection)
        let hub = try HubSnapshot(conninfo) {}
        promoted.files = try StandbyHome(of: farmPaths, in: farmPaths).make(hub, beginningEpochs: Self.why)
        // The old machine learns from this how far its journals have come.
        try connection.execute("DELETE FROM standby.promotion")
        for head in hub.feeds {
            promoted.journals += 1
            promoted.events += head.position
            try connection.run(
                "INSERT INTO standby.promotion(at, origin, position, hash) VALUES (now(), $1, $2, $3)",
                [.text(head.feed), .integer(Int64(clamping: head.position)), .bytes(head.hash)])
        }
        try HubLog(conninfo, feed: hub.origin, why: Self.why, at: AdjustableClock.machine)
            .beginEpoch(why: Self.why, at: AdjustableClock.machine)
        // What was sent to this standby stays until another one joins: an interrupted promotion needs it again.
        try connection.execute("DELETE FROM standby.member")
        return promoted
    }

    /// Returns a connection once Postgres accepts one.
    private func awaken() throws -> Connection {
        let end = Clock.monotonicMicroseconds() + 60_000_000
        while true {
            do throws(PostgresError) {
                return try Connection("\(conninfo) connect_timeout=2")
            } catch {
                guard Clock.monotonicMicroseconds() < end else {
                    throw Refusal("Postgres does not start (\(error.message)); see its log.")
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

    /// Removes the data of services that an interrupted promotion has left.
    private func removeEarlierAttempt() throws {
        let own: Set = [
            "postgres", "standby", "logs", "backups", HomeContents.lock, StandbySettings.fileName, RestoreMark.fileName,
            BackupRecord.fileName,
        ]
        for home in try farmPaths.allHomes {
            for name in try HomeContents.names(in: home) where !own.contains(name) {
                try Directory.remove("\(home)/\(name)")
            }
        }
    }
}
