import EventSourcing
import EventStore
import Host
import JSON
import Postgres
import System
import Vocabulary

/// How far the data of a pair has come, as one of its machines sees it.
struct StandbyState: Equatable {
    let role: StandbySettings.Role
    let at: Instant
    /// The address of the other machine; nil until it has joined.
    var peer: String?
    /// Whether commits are to wait for the standby.
    var wantsSynchronous = false
    /// Whether they wait now; nil at the standby.
    var isSynchronous: Bool?
    /// Whether the other machine is connected.
    var isConnected = false
    /// Seconds by which the standby's database is behind; nil if that is unknown.
    var databaseSeconds: Double?
    /// Bytes of the database's log that the standby has not received.
    var missingBytes: Int?
    /// Events of journals that the hub does not have yet, and the standby neither; nil at the standby.
    var waitingEvents: Int?
    /// Seconds since everything beside the database was sent last; nil if it never was.
    var filesSeconds: Double?
    /// Whether the standby receives and does not apply, because a backup is made there.
    var isPaused = false
    /// The number of encrypted files, and of their bytes.
    var files = 0
    var fileBytes = 0

    /// The seconds after which a standby is behind.
    static let behindSeconds = 60.0

    init(_ settings: StandbySettings, at: Instant) {
        role = settings.role
        peer = settings.peer
        wantsSynchronous = settings.isSynchronous
        self.at = at
    }

    /// Whether the standby has what the farm has, but for the last seconds.
    var isGood: Bool {
        isConnected
            && (isPaused
                || (databaseSeconds ?? 0) < Self.behindSeconds && (filesSeconds ?? .infinity) < Self.behindSeconds)
    }

    // MARK: Reading the database

    /// Returns the state of a machine of a pair whose database runs.
    static func read(_ settings: StandbySettings, _ farmPaths: FarmPaths) throws -> StandbyState {
        var state = StandbyState(settings, at: AdjustableClock.machine)
        let connection = try Connection(farmPaths.runningDatabase)
        switch settings.role {
        case .primary:
            try state.readSending(connection)
            state.waitingEvents = try waitingEvents(farmPaths, connection)
        case .standby: try state.readReceiving(connection)
        case .vote: throw Refusal("This machine votes, and has no data.")
        }
        let beat = try connection.query(
            "SELECT extract(epoch FROM now() - at)::float8 FROM standby.beat WHERE at IS NOT NULL")
        if case .real(let seconds)? = beat.first?.first { state.filesSeconds = seconds }
        let files = try connection.query("SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM standby.file")
        if case .integer(let count)? = files.first?.first, case .integer(let bytes)? = files.first?.last {
            (state.files, state.fileBytes) = (Int(count), Int(bytes))
        }
        return state
    }

    private mutating func readSending(_ connection: Connection) throws {
        // What the standby has on its disk counts. It applies that later if it makes a backup.
        let rows = try connection.query(
            """
            SELECT extract(epoch FROM coalesce(flush_lag, '0'))::float8,
                pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
            FROM pg_stat_replication WHERE state = 'streaming' LIMIT 1
            """)
        isConnected = !rows.isEmpty
        if case .real(let seconds)? = rows.first?.first, case .integer(let bytes)? = rows.first?.last {
            (databaseSeconds, missingBytes) = (seconds, Int(bytes))
        }
        let names = try connection.query("SELECT current_setting('synchronous_standby_names') <> ''")
        isSynchronous = names == [[.boolean(true)]]
    }

    private mutating func readReceiving(_ connection: Connection) throws {
        isConnected = try !connection.query("SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'").isEmpty
        let lag = try connection.query(
            """
            SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
                ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 END
            """)
        if case .real(let seconds)? = lag.first?.first { databaseSeconds = seconds }
        isPaused =
            try connection.query("SELECT CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() ELSE false END")
            == [[.boolean(true)]]
    }

    /// Returns the number of events that are in the journals of this machine and not in its hub.
    private static func waitingEvents(_ farmPaths: FarmPaths, _ connection: Connection) throws -> Int {
        guard try connection.query("SELECT to_regclass('hub.feed') IS NOT NULL") == [[.boolean(true)]] else { return 0 }
        var mirrored: [String: Int64] = [:]
        for row in try connection.query("SELECT name, pos FROM hub.feed") {
            guard case .text(let feed) = row[0], case .integer(let position) = row[1] else { continue }
            mirrored[feed] = position
        }
        return try HomeContents(farmPaths.allHomes).journals.reduce(0) { sum, item in
            let head = try SQLiteReader(path: item.path).head()
            return sum + max(0, Int(clamping: head.position) - Int(mirrored[head.feed] ?? 0))
        }
    }

    // MARK: As a file, and in words

    init(json bytes: [UInt8]) throws {
        let json = try JSONValue.parse(bytes)
        guard let role = StandbySettings.Role(rawValue: try json.get("role")) else {
            throw JSONError(message: "expected primary or standby", path: "role")
        }
        self.role = role
        at = try json.get("at")
        peer = try json.find("peer")
        wantsSynchronous = try json.find("wantsSynchronous") ?? false
        isSynchronous = try json.find("synchronous")
        isConnected = try json.get("connected")
        databaseSeconds = try json.find("databaseSeconds")
        missingBytes = try json.find("missingBytes")
        waitingEvents = try json.find("waitingEvents")
        filesSeconds = try json.find("filesSeconds")
        isPaused = try json.find("paused") ?? false
        files = try json.get("files")
        fileBytes = try json.get("fileBytes")
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("role", role.rawValue)
            json.field("at", at)
            json.field("peer", ifPresent: peer)
            json.field("good", isGood)
            json.field("connected", isConnected)
            json.field("databaseSeconds", ifPresent: databaseSeconds)
            json.field("missingBytes", ifPresent: missingBytes)
            json.field("waitingEvents", ifPresent: waitingEvents)
            json.field("wantsSynchronous", wantsSynchronous)
            json.field("synchronous", ifPresent: isSynchronous)
            json.field("filesSeconds", ifPresent: filesSeconds)
            json.field("paused", isPaused)
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
        let waiting = waitingEvents.map {
            $0 > 0 ? "\($0) events are on their way to the hub, and not sent yet.\n" : ""
        }
        return "\(other) is \(isConnected ? "connected" : "not connected"): \(database), \(rest).\n"
            + (waiting ?? "") + (isPaused ? "It receives, and applies it after the backup that is being made.\n" : "")
            + (isSynchronous == true ? "Events are acknowledged when the standby has them.\n" : "")
            + "Beside the database: \(files) files, \(Amount.bytes(UInt64(fileBytes)))."
    }

    private static func words(_ seconds: Double) -> String {
        seconds < 120 ? "\(Int(max(0, seconds))) s" : "\(Int(seconds / 60)) min"
    }
}
