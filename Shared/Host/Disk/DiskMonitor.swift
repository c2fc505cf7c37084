import EventSourcing
import System
import Wire

/// Monitors the free space on the disk of a slot, and maintains a ballast file there that is deleted when space runs
/// out.
final class DiskMonitor {
    private let thresholds: DiskThresholds
    private let folder: String
    private let ballast: String
    private(set) var space: DiskSpace
    private(set) var level = DiskThresholds.Level.enough

    init(_ thresholds: DiskThresholds, folder: String) throws(SystemError) {
        self.thresholds = thresholds
        self.folder = folder
        ballast = "\(folder)/ballast"
        space = try DiskSpace(of: folder)
        try measure()
    }

    /// Measures the free space, and creates or deletes the ballast.
    func measure() throws(SystemError) {
        space = try DiskSpace(of: folder)
        if thresholds.mustDrop(space) {
            try release()
        } else if thresholds.ballastBytes > 0, !File.exists(ballast), thresholds.mayTake(space) {
            do throws(SystemError) {
                try File.takeRoom(ballast, bytes: Int(thresholds.ballastBytes))
            } catch {
                // Another process took the space first; the ballast is tried again later.
            }
        }
        level = thresholds.level(space, hasBallast: File.exists(ballast))
    }

    /// Deletes the ballast, so that there is space to stop, to start and to read.
    func release() throws(SystemError) {
        guard File.exists(ballast) else { return }
        try File.remove(ballast)
        space = try DiskSpace(of: folder)
    }

    /// The refusal of requests that would record something; nil while there is enough space.
    var refusal: Problem? {
        guard level != .enough else { return nil }
        return Problem(
            507, "disk-full",
            "The farm server's disk is almost full (\(words)), so nothing new can be recorded. Everything recorded so "
                + "far is safe and can be read. Make room on the disk; then send this again.")
    }

    var status: DiskStatus { DiskStatus(space, needed: thresholds.needed(of: space)) }

    /// The bytes that the slot uses on the disk, without the ballast.
    var usedBytes: UInt64 {
        let (all, spare) = (Directory.usedBytes(folder), Directory.usedBytes(ballast))
        return all > spare ? all - spare : 0
    }

    /// The free and total space, in words for operators.
    var words: String { "\(space.free >> 20) MiB of \(space.total >> 20) MiB are free" }
}
