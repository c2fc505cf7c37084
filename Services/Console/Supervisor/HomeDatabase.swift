import Glibc
import Host
import Postgres
import System

/// The database of a home for a command: the running one, or one that is started for the duration of the command.
final class HomeDatabase {
    /// The connection string (libpq keyword format).
    let conninfo: String
    private let postgres: Child?

    /// - Parameter isRunning: whether the home's farm server runs; otherwise the caller holds the home's lock.
    init(_ farmPaths: FarmPaths, isRunning: Bool) throws {
        if let told = try Settings.fromProcess()["POSTGRES"] {
            (conninfo, postgres) = (told, nil)
            try Self.awaken(told)
            return
        }
        conninfo = farmPaths.conninfo
        guard !isRunning else {
            postgres = nil
            return
        }
        try Directory.create(farmPaths.logs, mode: 0o700)
        try farmPaths.makeRun()
        let database = PrivatePostgres(farmPaths: farmPaths)
        try database.prepare()
        let child = Child("postgres", try database.command())
        postgres = child
        _ = try child.tend(at: Clock.monotonicMicroseconds())
        do {
            try database.awaken(milliseconds: 120_000)
        } catch {
            try child.stop(SIGINT, milliseconds: 4000)
            throw error
        }
    }

    /// Returns once an external database accepts connections, because it may have just been started. Throws after a
    /// minute.
    private static func awaken(_ conninfo: String) throws {
        let end = Clock.monotonicMicroseconds() + patienceMicroseconds
        while true {
            do {
                _ = try Connection("\(conninfo) connect_timeout=2")
                return
            } catch {
                guard Clock.monotonicMicroseconds() < end else {
                    throw Refusal("The database does not respond (\(error.message)); see: docker compose logs postgres")
                }
                _ = try Poll.wait([], milliseconds: 200)
            }
        }
    }

    private static let patienceMicroseconds: Int64 = 60_000_000

    /// Stops the database if it was started for this command; everything committed is on the disk.
    func stop() throws {
        try postgres?.stop(SIGINT, milliseconds: 20_000)
    }
}
