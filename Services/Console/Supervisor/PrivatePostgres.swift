import Glibc
import Postgres
import System

/// A PostgreSQL cluster that belongs to one farm server: no port, only a socket in its run folder.
struct PrivatePostgres {
    let farmPaths: FarmPaths

    /// The folder in which Debian installs PostgreSQL 15.
    static let programs = "/usr/lib/postgresql/15/bin"
    /// The working directory of Postgres' programs. They return to where they started, which their user may not enter
    /// if root started them.
    private static let anywhere = "/"

    /// Creates the cluster on first use; does nothing if it exists.
    func prepare() throws {
        guard File.exists("\(Self.programs)/postgres") else {
            throw Refusal("PostgreSQL 15 is not installed: apt-get install postgresql-15")
        }
        if File.exists("\(farmPaths.postgres)/PG_VERSION") { return }
        // An interrupted initdb leaves a broken folder. It writes to another one, which gets its final name at the end.
        let aside = farmPaths.postgres + ".new"
        try call("/bin/rm", ["-rf", aside])
        try call(
            "\(Self.programs)/initdb",
            [
                "-D", aside, "--username=furrow", "--auth=trust", "--encoding=UTF8", "--locale=C", "--data-checksums",
                "--no-instructions",
            ])
        try call("/bin/mv", [aside, farmPaths.postgres])
    }

    /// The command that runs the server.
    ///
    /// Its buffers are small because a farm server may be a small board. After a crash, `syncfs` syncs the whole file
    /// system instead of each file, which would take seconds; Linux reports errors there since 5.8.
    func command() throws -> Process.Command {
        var command = Process.Command(
            "\(Self.programs)/postgres",
            [
                "-D", farmPaths.postgres, "-k", farmPaths.run,
                "-c", "unix_socket_permissions=0700", "-c", "max_connections=40", "-c", "shared_buffers=32MB",
                "-c", "synchronous_commit=on", "-c", "fsync=on", "-c", "wal_level=replica",
                "-c", "max_wal_size=256MB", "-c", "min_wal_size=80MB", "-c", "jit=off", "-c",
                "log_min_messages=warning", "-c", "recovery_init_sync_method=syncfs",
            ] + (try connections), environment: Machine.environment)
        command.output = .file("\(farmPaths.logs)/postgres.log")
        command.error = .file("\(farmPaths.logs)/postgres.log")
        command.workingDirectory = Self.anywhere
        return command
    }

    /// The options about connections: over the socket only, or also from the other machine of a pair.
    private var connections: [String] {
        get throws {
            guard let settings = try farmPaths.standbySettings else {
                return ["-c", "listen_addresses=", "-c", "port=\(farmPaths.databasePort)", "-c", "max_wal_senders=0"]
            }
            return StandbyFolder(farmPaths).options(settings)
        }
    }

    /// Whether it accepts connections: after a crash it first recovers from its log.
    var isAwake: Bool {
        do {
            _ = try Connection("\(farmPaths.conninfo) connect_timeout=2")
            return true
        } catch {
            return false
        }
    }

    /// Returns once it accepts connections; creates the database `furrow` if it is missing. Throws after
    /// `milliseconds`.
    func awaken(milliseconds: Int) throws {
        let end = Clock.monotonicMicroseconds() + Int64(milliseconds) * 1000
        while true {
            do {
                let admin = try Connection(
                    "host=\(farmPaths.run) port=\(farmPaths.databasePort) dbname=postgres user=furrow connect_timeout=2"
                )
                if try admin.query("SELECT 1 FROM pg_database WHERE datname = 'furrow'").isEmpty {
                    try admin.execute("CREATE DATABASE furrow")
                }
                return
            } catch {
                guard Clock.monotonicMicroseconds() < end else {
                    throw Refusal("Postgres does not respond; see \(farmPaths.logs)/postgres.log (\(error)).")
                }
                _ = try Poll.wait([], milliseconds: 20)
            }
        }
    }

    private func call(_ program: String, _ arguments: [String]) throws {
        var command = Process.Command(program, arguments, environment: Machine.environment)
        command.error = .file("\(farmPaths.logs)/postgres.log")
        command.output = .file("\(farmPaths.logs)/postgres.log")
        command.workingDirectory = Self.anywhere
        let status = try Process(command).wait(milliseconds: 120_000)
        guard status == .exited(0) else {
            throw Refusal(
                "\(program) failed (\(status.map { "\($0)" } ?? "still running")); see \(farmPaths.logs)/postgres.log.")
        }
    }
}
