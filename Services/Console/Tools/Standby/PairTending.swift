import Host
import Postgres
import System
import Vocabulary

/// What a machine of a pair does each second.
struct PairTending {
    private let farmPaths: FarmPaths
    private let folder: StandbyFolder
    private var isPrepared = false
    private var sender: StandbySender?
    private var mode = SynchronousMode()

    init(_ farmPaths: FarmPaths) {
        self.farmPaths = farmPaths
        folder = StandbyFolder(farmPaths)
    }

    mutating func tend(_ settings: StandbySettings) throws {
        switch settings.role {
        case .standby:
            try StandbyState.read(settings, farmPaths).write(folder.state)
            try StandbyCopy.resumeIfAbandoned(farmPaths)
        case .primary: try send(settings)
        case .vote: break
        }
    }

    private mutating func send(_ settings: StandbySettings) throws {
        if farmPaths.isStack, !isPrepared {
            try StandbyDatabase.prepare(farmPaths.runningDatabase, password: nil)
            isPrepared = true
        }
        try tendMode(settings)
        if try sender?.isOutdated() ?? true { sender = try StandbySender(farmPaths) }
        try sender?.send()
        let joined = try note(sender?.address(), settings)
        if try folder.renewCertificate(settings), !farmPaths.isStack {
            try Connection(farmPaths.conninfo).execute("SELECT pg_reload_conf()")
        }
        try StandbyState.read(joined, farmPaths).write(folder.state)
    }

    /// Lets commits wait for the standby, if the operator wants that and it is connected.
    private mutating func tendMode(_ settings: StandbySettings) throws {
        guard settings.isSynchronous else { return }
        let conninfo = try farmPaths.runningDatabase
        do throws(PostgresError) {
            let connection = try StandbyDatabase.local(conninfo)
            let isConnected = try !connection.query(
                "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
            ).isEmpty
            guard let isOn = mode.decide(isConnected: isConnected, at: Clock.monotonicMicroseconds()) else { return }
            try StandbyDatabase.setSynchronous(isOn, connection)
            Terminal.say(isOn ? "Commits wait for the standby." : "The standby is gone: commits do not wait for it.")
        } catch {
            // The database is being restarted; it is decided again a second later.
            mode = SynchronousMode()
        }
    }

    /// Writes the standby's address into the settings, so that the next start finds it without a database. Returns
    /// the settings.
    private func note(_ address: String?, _ settings: StandbySettings) throws -> StandbySettings {
        guard let address, settings.peer != address else { return settings }
        var settings = settings
        settings.peer = address
        try settings.write(to: farmPaths.pair)
        return settings
    }
}
