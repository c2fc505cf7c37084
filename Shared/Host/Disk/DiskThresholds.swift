import System

/// The thresholds of free disk space, and which inputs are accepted below them. Pure.
struct DiskThresholds: Equatable, Sendable {
    /// The least free bytes; below them new commands are refused.
    var freeBytes: UInt64 = 1 << 30
    /// The least free percentage of the usable space; below it new commands are refused.
    var freePercent: UInt64 = 10
    /// The size of the ballast, which is deleted on a full disk so that processes can stop, start and read.
    var ballastBytes: UInt64 = 64 << 20

    /// Which inputs are accepted.
    enum Level: Equatable, Sendable {
        case enough
        /// Commands are refused; sources and feeds are still read.
        case low
        /// Nothing that would be recorded is taken.
        case full
    }

    /// Returns the free bytes below which new commands are refused.
    func needed(of space: DiskSpace) -> UInt64 { max(freeBytes, space.total / 100 * freePercent) }

    /// Whether the ballast has to be deleted, because a commit without space ends the process.
    func mustDrop(_ space: DiskSpace) -> Bool { space.free < ballastBytes / 4 }

    /// Whether there is space for the ballast and as much again.
    func mayTake(_ space: DiskSpace) -> Bool { space.free >= 2 * ballastBytes }

    func level(_ space: DiskSpace, hasBallast: Bool) -> Level {
        guard hasBallast || ballastBytes == 0 else { return .full }
        return space.free < needed(of: space) ? .low : .enough
    }
}

extension DiskThresholds {
    /// Reads `FURROW_DISK_FREE_BYTES`, `FURROW_DISK_FREE_PERCENT` and `FURROW_DISK_BALLAST_BYTES`, which override the
    /// defaults.
    init(_ settings: Settings) throws(SettingError) {
        if let bytes = try settings.number("DISK_FREE_BYTES", in: 0...Int.max) { freeBytes = UInt64(bytes) }
        if let percent = try settings.number("DISK_FREE_PERCENT", in: 0...90) { freePercent = UInt64(percent) }
        if let bytes = try settings.number("DISK_BALLAST_BYTES", in: 0...(1 << 40)) { ballastBytes = UInt64(bytes) }
    }
}
