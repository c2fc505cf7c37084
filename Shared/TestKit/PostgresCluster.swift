import Crypto
import Glibc
import System
import Vocabulary

/// A PostgreSQL server for tests, on a Unix socket in a folder that is removed when the process ends, even by a crash.
public final class PostgresCluster: Sendable {
    /// Why the server is not available.
    public enum Trouble: Error, Sendable {
        case notInstalled
        case didNotStart(log: String)
    }

    /// The shared server of a test process, which syncs its commits.
    public static let shared = Result { try PostgresCluster() }

    /// The folder of its socket and data.
    public let folder: String

    /// The connection string of the default database; every role may log in.
    public var conninfo: String { conninfo(database: "postgres") }

    /// Returns the connection string of a database.
    public func conninfo(database: String) -> String {
        "host=\(folder) port=5432 dbname=\(database) user=postgres"
    }

    /// Starts a server with settings such as `fsync=off`; returns when it accepts connections.
    public init(_ settings: [String] = []) throws {
        let versions = Directory.isDirectory(Self.installed) ? try Directory.list(Self.installed) : []
        guard let version = versions.last else { throw Trouble.notInstalled }
        folder = "/tmp/furrow-postgres-\(Hex.encode(Random.bytes(6)))"
        try Directory.create(folder, mode: 0o755)
        let options = (["listen_addresses=", "max_connections=200"] + settings).map { "-c \($0)" }
        let start = try Process(
            Self.shell(
                """
                set -e
                if [ "$(id -u)" = 0 ]; then
                    chown postgres "$1"
                    as="setpriv --reuid=postgres --regid=postgres --init-groups"
                fi
                cd "$1"
                $as "$2/initdb" -D data -U postgres -A trust -E UTF8 --locale=C -N > initdb.log 2>&1
                $as "$2/pg_ctl" -D data -l postgres.log -w -t 60 -o "-k $1 $3" start > start.log 2>&1 < /dev/null
                """, folder, "\(Self.installed)/\(version)/bin", options.joined(separator: " ")))
        let status = try start.wait(milliseconds: 90_000)
        guard status == .exited(0) else {
            let log = try File.read("\(folder)/start.log", limit: 1 << 20)
            throw Trouble.didNotStart(log: String(decoding: log, as: UTF8.self))
        }
        // A process of another session is not notified when this one ends, so it polls.
        _ = try Process(
            Self.shell(
                """
                trap '' PIPE INT TERM
                while kill -0 "$2" 2>/dev/null; do sleep 0.5; done
                kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
                while [ -e "$1/data/postmaster.pid" ]; do sleep 0.1; done
                rm -rf "$1"
                """, folder, "\(getpid())"))
    }

    private static let installed = "/usr/lib/postgresql"

    private static func shell(_ script: String, _ arguments: String...) -> Process.Command {
        var command = Process.Command(
            "/bin/sh", ["-c", script, "sh"] + arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        command.deathSignal = nil
        return command
    }
}
