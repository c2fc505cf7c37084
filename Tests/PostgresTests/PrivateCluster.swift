import Foundation
import Postgres

/// A PostgreSQL of the tests' own, on a Unix socket in a folder that goes when the tests end.
final class PrivateCluster: Sendable {
    enum Trouble: Error { case notInstalled, didNotStart(String) }

    static let shared = Result { try PrivateCluster() }

    private let folder: String
    /// The watcher holds the server: it ends the server and the folder when this pipe closes, however the tests end.
    private let lifeline = Pipe()

    var conninfo: String { "host=\(folder) port=5432 dbname=postgres user=postgres" }

    private init() throws {
        let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql").sorted()
        guard let version = versions.last else { throw Trouble.notInstalled }
        let programs = "/usr/lib/postgresql/\(version)/bin"
        let template = "/tmp/furrow-postgres-tests-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: template, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        folder = template
        let script = """
            set -e
            trap '' PIPE INT
            if [ "$(id -u)" = 0 ]; then
                chown postgres "\(folder)"
                as="setpriv --reuid=postgres --regid=postgres --init-groups"
            fi
            cd "\(folder)"
            $as "\(programs)/initdb" -D "\(folder)/data" -U postgres -A trust -E UTF8 --locale=C -N > initdb.log 2>&1
            $as "\(programs)/postgres" -D "\(folder)/data" -k "\(folder)" -c listen_addresses= -c fsync=off \
                > postgres.log 2>&1 < /dev/null &
            pid=$!
            read -r line || true
            kill -QUIT $pid || true
            wait $pid || true
            cd /
            rm -rf "\(folder)"
            """
        let watcher = Process()
        watcher.executableURL = URL(fileURLWithPath: "/bin/sh")
        watcher.arguments = ["-c", script]
        watcher.standardInput = lifeline
        watcher.standardOutput = FileHandle.nullDevice
        watcher.standardError = FileHandle.nullDevice
        try watcher.run()
        try waitUntilReady(watcher)
    }

    private func waitUntilReady(_ watcher: Process) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do throws(PostgresError) {
                _ = try Connection(conninfo)
                return
            } catch {
                guard watcher.isRunning, ContinuousClock.now < deadline else {
                    throw Trouble.didNotStart(error.message)
                }
                // The server tells nobody that it is ready, so it is asked, at most a hundred times a second.
                usleep(10_000)
            }
        }
    }

    /// A connection with a schema of its own, first in its search path.
    static func connect() throws -> Connection {
        let connection = try Connection(try shared.get().conninfo)
        let schema = "t_" + UUID().uuidString.lowercased().split(separator: "-").joined()
        try connection.execute("CREATE SCHEMA \(schema); SET search_path TO \(schema)")
        return connection
    }
}
