import EventSourcing
import EventStore
import Postgres
import Vocabulary
import Wire

/// Opens the hub for its only writer: takes the lock, checks that commits are synced, and creates or verifies the
/// tables.
struct HubOpener {
    let session: PostgresSession
    let staging: Staging
    let hub: HubStaging
    /// Whether the tables were created in the transaction that is still open.
    let isNew: Bool

    init(_ conninfo: String, feed: String, at now: Instant, patience: Int, chance: RandomSource) throws(LogFailure) {
        let origin = try JournalFormat.origin(of: feed)
        session = try PostgresSession(conninfo)
        try Self.settle(session.connection)
        try Self.lock(session.connection, patience: patience)
        isNew = try Self.areTablesMissing(session.connection)
        if !isNew {
            try asking("open") { [session] () throws(PostgresError) in
                try session.connection.execute(HubSchema.upgrade)
            }
            try HubMigrationV2.run(session.connection)
        }
        (staging, hub) =
            isNew
            ? try Self.create(session, of: origin, at: now, chance: chance)
            : try HubTail(session.connection, of: origin).staged(chance: chance)
    }

    /// Sets the connection's parameters. Throws if a server setting makes commits not durable.
    private static func settle(_ connection: Connection) throws(LogFailure) {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.execute(
                """
                SET synchronous_commit = on; SET client_min_messages = warning; SET statement_timeout = 0;
                SET idle_in_transaction_session_timeout = 0; SET search_path = pg_catalog
                """)
            return try connection.query(
                """
                SELECT name, setting FROM pg_settings WHERE setting <> 'on'
                AND name IN ('fsync', 'full_page_writes', 'synchronous_commit')
                """)
        }
        guard rows.isEmpty else {
            throw LogFailure(operation: "open", message: "the server does not sync commits: \(rows)")
        }
    }

    private static func lock(_ connection: Connection, patience: Int) throws(LogFailure) {
        do throws(PostgresError) {
            try connection.execute("SET lock_timeout = \(max(1, patience * 1000))")
            _ = try connection.query("SELECT pg_advisory_lock($1)", [.integer(HubSchema.lock)])
            try connection.execute("SET lock_timeout = 0")
        } catch {
            guard error.code == "55P03" else { throw LogFailure("open", error) }
            throw LogFailure(operation: "open", message: "another ledger writes this hub")
        }
    }

    private static func areTablesMissing(_ connection: Connection) throws(LogFailure) -> Bool {
        let row = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT to_regnamespace('hub') IS NULL")
        }
        return row.first?.first == .boolean(true)
    }

    /// Creates the tables in the transaction of the first entry. After a crash the hub is missing or complete.
    private static func create(
        _ session: PostgresSession, of origin: Origin, at now: Instant, chance: RandomSource
    ) throws(LogFailure) -> (Staging, HubStaging) {
        // Salts are secret and ids are not, so they must not come from the same drawn bytes.
        let salts = chance
        var chance = chance
        let (epoch, hubEpoch) = (Epoch(chance.epoch()), Epoch(chance.epoch()))
        try asking("create") { () throws(PostgresError) in
            try session.begin()
            try session.connection.execute(HubSchema.create)
            try session.connection.run(
                "INSERT INTO hub.meta(format, origin, epoch, firstepoch, created) VALUES ($1, $2, $3, $3, $4)",
                [
                    .integer(Int64(JournalFormat.version)), .text(origin.description), .epoch(hubEpoch),
                    .text(now.description),
                ])
        }
        let staging = Staging(
            origin: origin, epoch: epoch, position: 0, hash: Chain.start(feed: origin.description, epoch: epoch),
            recorded: Instant(microseconds: 0), chance: chance)
        let hub = HubStaging(
            epoch: hubEpoch, position: 0, hash: Chain.start(feed: HubSchema.feed, epoch: hubEpoch),
            tree: MerkleTiles(), feeds: [], salts: salts)
        return (staging, hub)
    }
}
