import Crypto
import System
import Vocabulary

/// Where a farm server's things lie on this machine.
struct Premises: Sendable {
    /// Everything that is kept.
    let home: String
    /// Sockets; empty after a reboot. Short, because socket paths end at 107 bytes.
    let run: String
    /// The folder of the executables of this build.
    let programs: String

    init(home: String?, environment: [String: String] = Machine.environment) throws(Refusal) {
        let home = home ?? environment["FURROW_HOME"] ?? Self.usualHome(environment)
        guard home.hasPrefix("/") else {
            throw Refusal("The home must be a path that begins with a slash, not \(home).")
        }
        self.home = home
        let name = Hex.encode(SHA256.hash(Array(home.utf8)).prefix(4))
        if let run = environment["FURROW_RUN"] {
            self.run = run
        } else if Directory.isDirectory("/run/furrow/\(name)") || Machine.userID == 0 {
            run = "/run/furrow/\(name)"
        } else {
            run = "/tmp/furrow-\(Machine.userID)/\(name)"
        }
        guard let program = Machine.executablePath, let slash = program.lastIndex(of: "/") else {
            throw Refusal("This system does not say where the program lies.")
        }
        programs = String(program[..<slash])
    }

    var runFile: String { "\(home)/run.json" }
    var postgres: String { "\(home)/postgres" }
    var demoFile: String { "\(home)/demo.json" }
    /// What browsers have to trust for https; the gateway writes it.
    var authority: String { "\(home)/ca.pem" }
    var logs: String { "\(home)/logs" }
    var clockGate: String { "\(run)/clock" }
    var coordinator: String { "\(run)/coordinator" }
    var control: String { "ipc://\(run)/supervisor.ask" }
    /// How services reach Postgres: over a socket in a folder that only this user may enter.
    var conninfo: String { "host=\(run) port=5432 dbname=furrow user=furrow" }

    private static func usualHome(_ environment: [String: String]) -> String {
        if Directory.isDirectory("/var/lib/furrow") || Machine.userID == 0 { return "/var/lib/furrow" }
        return (environment["HOME"] ?? "/tmp") + "/.local/share/furrow"
    }
}

/// The operator asked for something that cannot be; the sentence says what and what to do.
struct Refusal: Error, CustomStringConvertible {
    let description: String
    /// What was asked for makes no sense, whatever the farm server does.
    let isMisuse: Bool

    init(_ description: String, isMisuse: Bool = false) {
        self.description = description
        self.isMisuse = isMisuse
    }
}
