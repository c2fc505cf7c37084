import Crypto
import Glibc
import System
import Vocabulary

/// Three NATS servers on this machine that sync each message, in a folder that is removed when the process ends, even
/// by a crash.
public final class NATSCluster: Sendable {
    /// Why the servers are not available.
    public enum Trouble: Error, Sendable {
        /// Neither `FURROW_NATS_SERVER` nor the environment of the tests (`.build/venv`) has the server.
        case notInstalled
        case didNotStart(log: String)
    }

    /// The shared cluster of a test process.
    public static let shared = Result { try NATSCluster() }

    /// The folder of settings, logs and data.
    public let folder: String
    private let program: String
    private let first: Int

    /// The addresses of its servers.
    public var servers: [String] { (1...Self.size).map { "nats://127.0.0.1:\(first + $0)" } }

    /// The number of its servers.
    public static let size = 3

    /// Starts three servers. Returns when they have a leader.
    public init() throws {
        program = try Self.installedServer()
        folder = "/tmp/furrow-nats-\(Hex.encode(Random.bytes(6)))"
        try Directory.create(folder, mode: 0o755)
        // Below the ports that the kernel gives to clients.
        first = 12_000 + Int(Random.bytes(2).reduce(0) { $0 << 8 | UInt16($1) } % 600) * 32
        for node in 1...Self.size {
            try File.writeAtomically("\(folder)/\(node).conf", Array(settings(of: node).utf8), mode: 0o644)
            try start(node)
        }
        _ = try Process(
            Self.shell(
                """
                trap '' PIPE INT TERM
                while kill -0 "$2" 2>/dev/null; do sleep 0.5; done
                for file in "$1"/*.pid; do kill -KILL "$(cat "$file")"; done
                rm -rf "$1"
                """, folder, "\(getpid())"))
        try waitForLeader()
    }

    /// Returns the path of the server's program.
    public static func installedServer() throws -> String {
        let places = [Machine.environment["FURROW_NATS_SERVER"] ?? "", ".build/venv/bin/nats-server"]
        guard let found = places.first(where: { File.exists($0) }) else { throw Trouble.notInstalled }
        return found
    }

    private func settings(of node: Int) -> String {
        let routes = (1...Self.size).map { "nats://127.0.0.1:\(first + 10 + $0)" }.joined(separator: ", ")
        return """
            server_name: node-\(node)
            listen: "127.0.0.1:\(first + node)"
            http: "127.0.0.1:\(first + 20 + node)"
            pid_file: "\(folder)/\(node).pid"
            log_file: "\(folder)/\(node).log"
            jetstream { store_dir: "\(folder)/data-\(node)", sync_interval: always }
            cluster { name: furrow, listen: "127.0.0.1:\(first + 10 + node)", routes: [\(routes)] }

            """
    }

    private func start(_ node: Int) throws {
        var command = Process.Command(program, ["-c", "\(folder)/\(node).conf"])
        command.deathSignal = nil
        _ = try Process(command)
    }

    /// Waits until every server reports that it is ready for JetStream.
    private func waitForLeader() throws {
        let check = """
            for port in $*; do
                until exec 3<>/dev/tcp/127.0.0.1/$port \\
                    && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '"status":"ok"' <&3
                do sleep 0.05; done
            done 2>/dev/null
            """
        var command = Process.Command(
            "/bin/bash", ["-c", check, "bash"] + (1...Self.size).map { "\(first + 20 + $0)" },
            environment: ["PATH": "/usr/bin:/bin"])
        command.deathSignal = nil
        let waiting = try Process(command)
        guard try waiting.wait(milliseconds: 60_000) == .exited(0) else {
            try waiting.kill(SIGKILL, group: true)
            let log = try File.read("\(folder)/1.log", limit: 1 << 20)
            throw Trouble.didNotStart(log: String(decoding: log.suffix(2_000), as: UTF8.self))
        }
    }

    private static func shell(_ script: String, _ arguments: String...) -> Process.Command {
        var command = Process.Command(
            "/bin/sh", ["-c", script, "sh"] + arguments, environment: ["PATH": "/usr/bin:/bin"])
        command.deathSignal = nil
        return command
    }
}
