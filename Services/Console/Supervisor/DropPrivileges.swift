import Glibc
import System

/// Root looks after a home as the user that it belongs to, so that no file in it becomes root's.
enum DropPrivileges {
    /// The user that a farm server of this machine runs as where root has set it up.
    static let userName = "furrow"

    /// Where root asks and the home is another's: runs this same command as that user and ends with its answer.
    static func ifNeeded(of home: String) throws {
        guard Machine.userID == 0 else { return }
        let owner = try File.access(home).owner
        guard owner != 0 else { return }
        guard let user = try User(named: userName), user.id == owner else {
            throw Refusal("\(home) belongs to another user; run this as that one.")
        }
        try runAgain(as: user)
    }

    /// The same for a home that is still to be made: Postgres does not run as root.
    static func ifNeeded(toMake farmPaths: FarmPaths) throws {
        guard Machine.userID == 0 else { return }
        guard let user = try User(named: userName) else {
            throw Refusal("Postgres does not run as root. Make a user for it first: useradd --system \(userName)")
        }
        let parent = farmPaths.run.split(separator: "/").dropLast().joined(separator: "/")
        for folder in [farmPaths.home, "/\(parent)", farmPaths.run] {
            let isNew = !File.exists(folder)
            try Directory.create(folder, mode: 0o700)
            if try isNew || File.access(folder).owner == 0 { try File.give(folder, to: user) }
        }
        try runAgain(as: user)
    }

    private static func runAgain(as user: User) throws {
        guard let program = Machine.executablePath else {
            throw Refusal("This system does not say where the program lies.")
        }
        var command = Process.Command(
            program, Array(CommandLine.arguments.dropFirst()), environment: Machine.environment)
        command.user = user
        // A backup may lie below a folder that only root may enter.
        command.readsEverywhere = true
        command.output = .descriptor(1)
        command.error = .descriptor(2)
        let process = try Process(command)
        while true {
            guard let status = try process.wait(milliseconds: 1000) else { continue }
            if case .exited(let code) = status { exit(code) }
            throw Refusal("The command was killed.")
        }
    }
}
