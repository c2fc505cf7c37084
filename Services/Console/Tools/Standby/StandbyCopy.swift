import Host
import HubStore
import Postgres
import System

/// A home that is made out of a standby for the time of a backup, and removed afterwards.
///
/// The standby receives and does not apply for that time, so that its database stands at one moment.
struct StandbyCopy {
    /// The folder of the home in that of the standby.
    static let name = "standby-copy"

    let home: String
    private let connection: Connection
    private let lock: FileLock

    /// Lets a standby apply what it receives if a backup has ended without doing so.
    static func resumeIfAbandoned(_ standby: FarmPaths) throws {
        let connection = try Connection(standby.runningDatabase)
        guard
            try connection.query("SELECT pg_is_in_recovery() AND pg_is_wal_replay_paused()") == [[.boolean(true)]],
            try FileLock(path: lockPath(standby)) != nil
        else { return }
        try connection.execute("SELECT pg_wal_replay_resume()")
    }

    private static func lockPath(_ standby: FarmPaths) -> String { "\(standby.home(of: nil))/\(name).lock" }

    init(of standby: FarmPaths, _ conninfo: String) throws {
        guard let lock = try FileLock(path: Self.lockPath(standby)) else {
            throw Refusal("Another backup of this standby is being made; wait until it is done.")
        }
        self.lock = lock
        home = "\(standby.home(of: nil))/\(Self.name)"
        // An interrupted backup has left it.
        try Directory.remove(home)
        let needed = UInt64(try HubReader(conninfo).databaseBytes())
        let free = try DiskSpace(of: standby.home(of: nil)).free
        guard free > needed else {
            throw Refusal(
                "A backup of a standby needs \(Amount.bytes(needed)) for the time that it takes, and "
                    + "\(standby.home(of: nil)) has \(Amount.bytes(free)) left.")
        }
        connection = try Connection(conninfo)
        try connection.execute("SELECT pg_wal_replay_pause()")
        do {
            try awaitPause()
            guard try HubDump.isThere(conninfo) else { throw Refusal("The standby has received no farm yet.") }
            let target = try FarmPaths(home: home, environment: [:])
            try Directory.create(home, mode: 0o700)
            _ = try StandbyHome(of: standby, in: target).make(HubSnapshot(conninfo) {}, beginningEpochs: nil)
        } catch {
            try end()
            throw error
        }
    }

    /// Returns once nothing is applied any more.
    private func awaitPause() throws {
        let end = Clock.monotonicMicroseconds() + Self.pauseMicroseconds
        while try connection.query("SELECT pg_get_wal_replay_pause_state()") != [[.text("paused")]] {
            guard Clock.monotonicMicroseconds() < end else {
                throw Refusal("The standby's database did not pause within a minute; try again.")
            }
            _ = try Poll.wait([], milliseconds: 20)
        }
    }

    private static let pauseMicroseconds: Int64 = 60_000_000

    /// Lets the standby apply what it has received, and removes the home.
    func end() throws {
        // A promotion has ended the pause already.
        if try connection.query("SELECT pg_is_in_recovery()") == [[.boolean(true)]] {
            try connection.execute("SELECT pg_wal_replay_resume()")
        }
        try Directory.remove(home)
    }
}
