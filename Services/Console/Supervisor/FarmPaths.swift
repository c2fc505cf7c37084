import Crypto
import Host
import System
import Vocabulary

/// The paths of a farm server's files on this machine.
struct FarmPaths: Sendable {
    /// The folder of all permanent data.
    let home: String
    /// The folder of the services' homes, where each service has its own and this process sees them all; otherwise nil.
    let homes: String?
    /// Whether each service is a container of its own (compose): the engine starts them and stores their logs.
    let isStack: Bool
    /// The folder with what a pair of machines shares: the home, or in containers a volume of its own.
    let pair: String
    /// Where containers learn from each other what is no secret, such as whether this machine may run the farm; nil
    /// outside of containers.
    let published: String?
    /// The folder of sockets, empty after a reboot. It is short because socket paths are limited to 107 bytes.
    let run: String
    /// The folder of the executables of this build.
    let programs: String
    /// The port of Postgres, which also names its socket: another one if a standby belongs to the farm server.
    let databasePort: Int

    init(home: String?, environment: [String: String] = Machine.environment) throws(Refusal) {
        func told(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        homes = home == nil ? told("FURROW_HOMES") : nil
        isStack = homes != nil || told("FURROW_BUS_PORT") != nil
        let home = home ?? told("FURROW_HOME") ?? Self.usualHome(environment)
        guard home.hasPrefix("/") else {
            throw Refusal("The home must be a path that begins with a slash, not \(home).", isMisuse: true)
        }
        // The name of the socket folder is a hash of the home's path, and shells append a slash to a folder.
        let own = "/" + home.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        self.home = own
        pair = (isStack ? told("FURROW_PAIR") : nil) ?? own
        published = isStack ? told("FURROW_PUBLIC_KEYS") : nil
        let name = Hex.encode(SHA256.hash(Array(own.utf8)).prefix(4))
        if let run = environment["FURROW_RUN"] {
            self.run = run
        } else if Directory.isDirectory("/run/furrow/\(name)") || Machine.userID == 0 {
            run = "/run/furrow/\(name)"
        } else {
            run = "/tmp/furrow-\(Machine.userID)/\(name)"
        }
        guard let program = Machine.executablePath, let slash = program.lastIndex(of: "/") else {
            throw Refusal("This system does not reveal the path of the program.")
        }
        programs = String(program[..<slash])
        do {
            databasePort = try StandbySettings(of: pair)?.port ?? Self.usualDatabasePort
        } catch {
            throw Refusal("\(pair)/\(StandbySettings.fileName) cannot be read: \(error)")
        }
    }

    /// The homes of all services.
    var allHomes: [String] {
        get throws(SystemError) {
            guard let homes else { return [home] }
            return try Directory.list(homes).map { "\(homes)/\($0)" }
        }
    }

    /// The home of a service. Where each has its own, data that belongs to no service is in the gateway's home.
    func home(of service: String?) -> String { homes.map { "\($0)/\(service ?? "sync-gateway")" } ?? home }

    /// Returns the path of a file by its place in a home: in a service's slot, or with the data of no service.
    func path(of place: String) -> String {
        let parts = place.split(separator: "/")
        return "\(home(of: parts.count > 2 ? String(parts[0]) : nil))/\(place)"
    }

    /// How this machine belongs to a pair; nil if it belongs to none.
    var standbySettings: StandbySettings? { get throws { try StandbySettings(of: pair) } }

    /// Whether another machine of the pair runs the farm, as every container of this one can see.
    var isStandby: Bool {
        get throws {
            if let published { return try PairGate(folder: published).read() == .standby }
            return try standbySettings.map { $0.role != .primary } ?? false
        }
    }

    /// How a running database is reached: as containers are given it, or over its socket.
    var runningDatabase: String { get throws { try Settings.fromProcess()["POSTGRES"] ?? conninfo } }

    var runFile: String { "\(home)/run.json" }
    var postgres: String { "\(home)/postgres" }
    var demoFile: String { "\(home)/demo.json" }
    /// The CA certificate that browsers need for https; the gateway writes it.
    var authority: String { "\(home)/ca.pem" }
    var logs: String { "\(home)/logs" }
    var clockGate: String { "\(run)/clock" }
    var coordinator: String { "\(run)/coordinator" }
    var control: String { "ipc://\(run)/supervisor.ask" }
    /// How services reach Postgres: over a socket in a folder that only this user may enter.
    var conninfo: String { "host=\(run) port=\(databasePort) dbname=furrow user=furrow" }

    private static let usualDatabasePort = 5_432

    private static func usualHome(_ environment: [String: String]) -> String {
        if Directory.isDirectory("/var/lib/furrow") || Machine.userID == 0 { return "/var/lib/furrow" }
        return (environment["HOME"] ?? "/tmp") + "/.local/share/furrow"
    }
}

extension FarmPaths {
    /// Creates the folder of the sockets.
    ///
    /// Throws `Refusal` if another user can create sockets in it: below `/tmp` any user may have created it first.
    func makeRun() throws {
        try Directory.create(run, mode: 0o700)
        let own: UInt32 = Machine.userID
        let above = "/" + run.split(separator: "/").dropLast().joined(separator: "/")
        for (folder, owners) in [(above, [0, own]), (run, [own])] {
            let access = try File.access(folder)
            let isSticky = folder == above && access.mode & 0o1000 != 0
            guard owners.contains(access.owner), isSticky || access.mode & 0o022 == 0 else {
                throw Refusal(
                    "Other users may write in \(folder), which holds sockets; remove it or name another folder with FURROW_RUN."
                )
            }
        }
        // An existing folder may be readable by others.
        try Directory.close(run)
    }

    /// Throws `Refusal` in a container that mounts one service's home only; `command` needs all of them.
    func requireAllHomes(for command: String) throws(Refusal) {
        guard isStack, homes == nil else { return }
        throw Refusal(
            "This container has one service's volume only. Run it in the container that has all: "
                + "docker compose run --rm operator furrow \(command)")
    }

    /// Throws `Refusal` in a compose stack, where the container engine does this task.
    func refuseInStack(insteadOf what: String, _ command: String) throws(Refusal) {
        guard isStack else { return }
        throw Refusal(
            "In a compose stack, the container engine does this (\(what)); on its machine: docker compose \(command)")
    }
}

/// An operator's request that cannot be fulfilled; the description states why and what to do.
struct Refusal: Error, CustomStringConvertible {
    let description: String
    /// Whether the command line itself is wrong, independent of the state of the farm server.
    let isMisuse: Bool

    init(_ description: String, isMisuse: Bool = false) {
        self.description = description
        self.isMisuse = isMisuse
    }
}
