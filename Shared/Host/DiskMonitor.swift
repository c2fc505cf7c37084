import EventSourcing
import System
import Wire

/// Watches the room on the disk that holds a slot, and keeps a ballast file there that is freed when it runs out.
final class DiskMonitor {
    private let room: DiskThresholds
    private let folder: String
    private let ballast: String
    private(set) var space: DiskSpace
    private(set) var level = DiskThresholds.Level.enough

    init(_ room: DiskThresholds, folder: String) throws(SystemError) {
        self.room = room
        self.folder = folder
        ballast = "\(folder)/ballast"
        space = try DiskSpace(of: folder)
        try look()
    }

    /// Looks how much is free; takes or frees the ballast.
    func look() throws(SystemError) {
        space = try DiskSpace(of: folder)
        if room.mustDrop(space) {
            try release()
        } else if room.ballastBytes > 0, !File.exists(ballast), room.mayTake(space) {
            do throws(SystemError) {
                try File.takeRoom(ballast, bytes: Int(room.ballastBytes))
            } catch {
                // Somebody else was faster: then it is as if there had been no room.
            }
        }
        level = room.level(space, hasBallast: File.exists(ballast))
    }

    /// Gives the ballast's room to whoever has to end, begin or be read.
    func release() throws(SystemError) {
        guard File.exists(ballast) else { return }
        try File.remove(ballast)
        space = try DiskSpace(of: folder)
    }

    /// What somebody is told who wants something recorded; nil while there is room.
    var refusal: Problem? {
        guard level != .enough else { return nil }
        return Problem(
            507, "disk-full",
            "The farm server's disk is almost full (\(words)), so nothing new can be recorded. Everything recorded so "
                + "far is safe and can be read. Make room on the disk; then send this again.")
    }

    var standing: DiskStatus { DiskStatus(space, needed: room.needed(of: space)) }

    /// What the slot takes on the disk, the ballast apart.
    var usedBytes: UInt64 {
        let (all, spare) = (Directory.usedBytes(folder), Directory.usedBytes(ballast))
        return all > spare ? all - spare : 0
    }

    /// How much is free, in words.
    var words: String { "\(space.free >> 20) MiB of \(space.total >> 20) MiB are free" }
}
