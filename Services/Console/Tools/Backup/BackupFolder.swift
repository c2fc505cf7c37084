import EventStore
import System

/// The host folder that a compose stack mounts for its backups.
///
/// The engine creates a missing folder as root's, but the user of the containers makes and reads backups. So the folder
/// is given to that user. It is closed to all others because it has the farm's secrets.
struct BackupFolder {
    /// The user and group of all Furrow containers, as in `deploy/Dockerfile`.
    static let owner: UInt32 = 10_001

    let path: String

    /// What to do with a folder before backups can be written into it.
    enum Step: Equatable {
        /// It belongs to the user of the containers, who decided on its mode.
        case keep
        case give
        /// It belongs to another user or has other content, for the given reason.
        case leave(String)
    }

    /// Decides by a folder's owner and the names in it.
    ///
    /// A folder of root is given away only if it is empty or contains only backups, so that a mistyped `FURROW_BACKUPS`
    /// gives away no other data.
    static func step(owner: UInt32, names: [String]) -> Step {
        if owner == Self.owner { return .keep }
        if owner != 0 { return .leave("it belongs to user \(owner)") }
        let own = ["lock", "lost+found"]
        let other = names.first { !own.contains($0) && BackupRetention.made($0) == nil }
        return other.map { .leave("it belongs to root and holds other things: \($0)") } ?? .give
    }

    /// Applies the step and returns it. Leaving a folder unchanged is no failure: a backup in it may still be readable.
    func prepare() throws -> Step {
        let owner = try File.access(path).owner
        let step = Self.step(owner: owner, names: owner == 0 ? try Directory.list(path) : [])
        if step == .give {
            // Root may change only the mode of a folder that it still owns.
            try Directory.close(path)
            try File.give(path, toUser: Self.owner, group: Self.owner)
        }
        return step
    }

    func run() throws -> Int32 {
        switch try prepare() {
        case .keep: Terminal.say("The folder of backups belongs to user \(Self.owner).")
        case .give: Terminal.say("The folder of backups was given to user \(Self.owner) and closed to others.")
        case .leave(let reason):
            Terminal.complain(
                "The folder of backups stays as it is, because \(reason). "
                    + "Set FURROW_BACKUPS to a new or empty folder, or give it away: "
                    + "chown -R \(Self.owner):\(Self.owner) FOLDER"
            )
        }
        return 0
    }
}
