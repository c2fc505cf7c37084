import Glibc
import System

/// Runs a command as the owner of the home if root calls it, so that root owns no file in it.
enum DropPrivileges {
    /// The user that runs a farm server that was installed by root.
    static let userName = "furrow"

    /// If root calls and another user owns the home, runs the same command as that user and exits with its code.
    ///
    /// Throws `Refusal` if the owner is not the user `furrow`.
    static func ifNeeded(of home: String) throws {
        guard Machine.userID == 0 else { return }
        let owner = try File.access(home).owner
        guard owner != 0 else { return }
        guard let user = try User(named: userName), user.id == owner else {
            throw Refusal("\(home) belongs to another user; run this as that one.")
        }
        try runAgain(as: user)
    }

    /// The same for a home that does not exist yet: Postgres does not run as root.
    static func ifNeeded(toMake farmPaths: FarmPaths) throws {
        guard let user = try owner(toMake: farmPaths) else { return }
        try runAgain(as: user)
    }

    /// Creates the folders of a home, and returns the user who then owns them and has to run the farm server; nil if
    /// the caller is not root and can run it.
    static func owner(toMake farmPaths: FarmPaths) throws -> User? {
        guard Machine.userID == 0 else { return nil }
        guard let user = try User(named: userName) else {
            throw Refusal("Postgres does not run as root. Make a user for it first: useradd --system \(userName)")
        }
        let parent = farmPaths.run.split(separator: "/").dropLast().joined(separator: "/")
        for folder in [farmPaths.home, "/\(parent)", farmPaths.run] {
            let isNew = !File.exists(folder)
            try Directory.create(folder, mode: 0o700)
            if try isNew || File.access(folder).owner == 0 { try File.give(folder, to: user) }
        }
        return user
    }

    private static func runAgain(as user: User) throws {
        guard let program = Machine.executablePath else {
            throw Refusal("This system does not reveal the path of the program.")
        }
        var command = Process.Command(
            program, Array(CommandLine.arguments.dropFirst()), environment: Machine.environment)
        command.user = user
        // A backup may be below a folder that only root may enter.
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
