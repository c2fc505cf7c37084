import EventStore
import System

/// The folder of this machine that a compose stack mounts for its backups.
///
/// The engine creates a missing one as root's. Backups are made and read by the user of the containers, so the folder
/// is given to that user, and closed to all others because it holds the farm's secrets.
struct BackupFolder {
    /// The user and group of every container of ours, as in `deploy/Dockerfile`.
    static let owner: UInt32 = 10_001

    let path: String

    /// What has to happen to a folder before backups can be written into it.
    enum Step: Equatable {
        /// It belongs to the user of the containers, who decided on its mode.
        case keep
        case give
        /// It belongs to another user or holds other things, for the reason that follows.
        case leave(String)
    }

    /// Decides by a folder's owner and the names in it. Root's is given away only if it is empty or holds backups
    /// alone, so that a mistyped `FURROW_BACKUPS` gives away no other data.
    static func step(owner: UInt32, names: [String]) -> Step {
        if owner == Self.owner { return .keep }
        if owner != 0 { return .leave("it belongs to user \(owner)") }
        let own = ["lock", "lost+found"]
        let other = names.first { !own.contains($0) && BackupRetention.made($0) == nil }
        return other.map { .leave("it belongs to root and holds other things: \($0)") } ?? .give
    }

    /// Returns what was done. A folder that is left as it is does not fail: a backup in it may still be readable.
    func prepare() throws -> Step {
        let owner = try File.access(path).owner
        let step = Self.step(owner: owner, names: owner == 0 ? try Directory.list(path) : [])
        if step == .give {
            // Root may close only what is still its own.
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
