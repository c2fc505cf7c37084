import Host
import JSON
import Postgres
import System
import Vocabulary

/// How far the data of a pair has come, as one of its machines sees it.
struct StandbyState: Equatable {
    let role: StandbySettings.Role
    let at: Instant
    /// Whether the other machine is connected.
    let isConnected: Bool
    /// Seconds by which the standby's database is behind; nil if that is unknown.
    let databaseSeconds: Double?
    /// Bytes of the database's log that the standby has not received.
    let missingBytes: Int?
    /// Seconds since everything beside the database was sent last; nil if it never was.
    let filesSeconds: Double?
    /// Whether commits wait for the standby now; nil at the standby.
    let isSynchronous: Bool?
    /// The number of encrypted files, and of their bytes.
    let files: Int
    let fileBytes: Int

    /// The seconds after which a standby is behind.
    static let behindSeconds = 60.0

    /// Whether the standby has what the farm has, but for the last seconds.
    var isGood: Bool {
        isConnected && (databaseSeconds ?? 0) < Self.behindSeconds
            && (filesSeconds ?? .infinity) < Self.behindSeconds
    }

    /// Reads the state at the primary.
    init(sendingBy conninfo: String) throws {
        let connection = try Connection(conninfo)
        let rows = try connection.query(
            """
            SELECT extract(epoch FROM coalesce(replay_lag, '0'))::float8,
                pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
            FROM pg_stat_replication WHERE state = 'streaming' LIMIT 1
            """)
        let (seconds, bytes): (Double?, Int?) =
            switch (rows.first?.first, rows.first?.last) {
            case (.real(let seconds)?, .integer(let bytes)?): (seconds, Int(bytes))
            default: (nil, nil)
            }
        let names = try connection.query("SELECT current_setting('synchronous_standby_names') <> ''")
        try self.init(
            .primary, connection, isConnected: !rows.isEmpty, databaseSeconds: seconds, missingBytes: bytes,
            isSynchronous: names == [[.boolean(true)]])
    }

    /// Reads the state at the standby.
    init(receivingBy conninfo: String) throws {
        let connection = try Connection(conninfo)
        let rows = try connection.query(
            "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'")
        let lag = try connection.query(
            """
            SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
                ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 END
            """)
        let seconds: Double? = if case .real(let seconds)? = lag.first?.first { seconds } else { nil }
        try self.init(
            .standby, connection, isConnected: !rows.isEmpty, databaseSeconds: seconds, missingBytes: nil,
            isSynchronous: nil)
    }

    private init(
        _ role: StandbySettings.Role, _ connection: Connection, isConnected: Bool, databaseSeconds: Double?,
        missingBytes: Int?, isSynchronous: Bool?
    ) throws {
        self.role = role
        at = AdjustableClock.machine
        self.isConnected = isConnected
        self.databaseSeconds = databaseSeconds
        self.missingBytes = missingBytes
        self.isSynchronous = isSynchronous
        let beat = try connection.query(
            "SELECT extract(epoch FROM now() - at)::float8 FROM standby.beat WHERE at IS NOT NULL")
        filesSeconds = if case .real(let seconds)? = beat.first?.first { seconds } else { nil }
        let files = try connection.query("SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM standby.file")
        guard case .integer(let count)? = files.first?.first, case .integer(let bytes)? = files.first?.last else {
            (self.files, fileBytes) = (0, 0)
            return
        }
        (self.files, fileBytes) = (Int(count), Int(bytes))
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("role", role.rawValue)
            json.field("at", at)
            json.field("good", isGood)
            json.field("connected", isConnected)
            json.field("databaseSeconds", ifPresent: databaseSeconds)
            json.field("missingBytes", ifPresent: missingBytes)
            json.field("synchronous", ifPresent: isSynchronous)
            json.field("filesSeconds", ifPresent: filesSeconds)
            json.field("files", files)
            json.field("fileBytes", fileBytes)
        }
        return json.bytes
    }

    func write(_ path: String) throws { try File.writeAtomically(path, json + [10], mode: 0o600) }

    /// The state in words.
    var text: String {
        let other = role == .primary ? "The standby" : "The farm server"
        let database =
            databaseSeconds.map { "the database is \(Self.words($0)) behind" } ?? "the database's lag is not known"
        let rest =
            filesSeconds.map { "accounts and pictures are \(Self.words($0)) behind" } ?? "nothing else was sent yet"
        return "\(other) is \(isConnected ? "connected" : "not connected"): \(database), \(rest).\n"
            + (isSynchronous == true ? "Events are acknowledged when the standby has them.\n" : "")
            + "Beside the database: \(files) files, \(Amount.bytes(UInt64(fileBytes)))."
    }

    private static func words(_ seconds: Double) -> String {
        seconds < 120 ? "\(Int(max(0, seconds))) s" : "\(Int(seconds / 60)) min"
    }
}
