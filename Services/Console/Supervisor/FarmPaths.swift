import Crypto
import System
import Vocabulary

/// Where a farm server's things lie on this machine.
struct FarmPaths: Sendable {
    /// Everything that is kept.
    let home: String
    /// Where each service has a home of its own, and this process sees them all: the folder of these homes.
    let homes: String?
    /// Whether each service is a container of its own (compose): the engine starts them and keeps what they write.
    let isStack: Bool
    /// Sockets; empty after a reboot. Short, because socket paths end at 107 bytes.
    let run: String
    /// The folder of the executables of this build.
    let programs: String

    init(home: String?, environment: [String: String] = Machine.environment) throws(Refusal) {
        func told(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        homes = home == nil ? told("FURROW_HOMES") : nil
        isStack = homes != nil || told("FURROW_BUS_PORT") != nil
        let home = home ?? told("FURROW_HOME") ?? Self.usualHome(environment)
        guard home.hasPrefix("/") else {
            throw Refusal("The home must be a path that begins with a slash, not \(home).", isMisuse: true)
        }
        // The folder of its sockets has its name from the home's, and shells write a slash behind a folder.
        self.home = "/" + home.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        let name = Hex.encode(SHA256.hash(Array(self.home.utf8)).prefix(4))
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

    /// Every folder in which services keep their things.
    var allHomes: [String] {
        get throws(SystemError) {
            guard let homes else { return [home] }
            return try Directory.list(homes).map { "\(homes)/\($0)" }
        }
    }

    /// Where a service keeps its things; where each has a home of its own, what is nobody's lies with the gateway's.
    func home(of service: String?) -> String { homes.map { "\($0)/\(service ?? "sync-gateway")" } ?? home }

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

extension FarmPaths {
    /// Makes the folder of the sockets; refuses one that another user can put sockets of his own into: below `/tmp`
    /// anybody may have been first.
    func makeRun() throws {
        try Directory.create(run, mode: 0o700)
        let own: UInt32 = Machine.userID
        let above = "/" + run.split(separator: "/").dropLast().joined(separator: "/")
        for (folder, owners) in [(above, [0, own]), (run, [own])] {
            let access = try File.access(folder)
            let isSticky = folder == above && access.mode & 0o1000 != 0
            guard owners.contains(access.owner), isSticky || access.mode & 0o022 == 0 else {
                throw Refusal(
                    "Other users may write in \(folder), where sockets lie; remove it, or name another folder with FURROW_RUN."
                )
            }
        }
        // A folder that was there already may be open to be read.
        try Directory.close(run)
    }

    /// Refuses what needs every service's home where only one of them is mounted.
    func requireAllHomes(for command: String) throws(Refusal) {
        guard isStack, homes == nil else { return }
        throw Refusal(
            "This container has one service's volume alone. Ask where all are: "
                + "docker compose run --rm operator furrow \(command)")
    }

    /// Refuses what the engine does where each service is a container of its own.
    func refuseInStack(insteadOf what: String, _ command: String) throws(Refusal) {
        guard isStack else { return }
        throw Refusal("Among containers \(what) is the engine's; on its machine: docker compose \(command)")
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
