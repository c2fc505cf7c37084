import System

/// How much of the disk has to be free, and what that means for what comes in. Pure.
struct DiskThresholds: Equatable, Sendable {
    /// Below it new commands are refused.
    var freeBytes: UInt64 = 1 << 30
    /// Percent of what can be used; below it new commands are refused.
    var freePercent: UInt64 = 10
    /// What is set aside, so that a full disk leaves room to end, to begin, and to be read.
    var ballastBytes: UInt64 = 64 << 20

    /// What may come in.
    enum Level: Equatable, Sendable {
        case enough
        /// Commands are refused; radios and feeds go on.
        case low
        /// Nothing that would be recorded is taken.
        case full
    }

    /// Bytes that have to be free, or new commands are refused.
    func needed(of space: DiskSpace) -> UInt64 { max(freeBytes, space.total / 100 * freePercent) }

    /// Whether the ballast has to go: a commit that finds no room ends the process.
    func mustDrop(_ space: DiskSpace) -> Bool { space.free < ballastBytes / 4 }

    /// Whether there is room for the ballast and as much again.
    func mayTake(_ space: DiskSpace) -> Bool { space.free >= 2 * ballastBytes }

    func level(_ space: DiskSpace, hasBallast: Bool) -> Level {
        guard hasBallast || ballastBytes == 0 else { return .full }
        return space.free < needed(of: space) ? .low : .enough
    }
}

extension DiskThresholds {
    /// `FURROW_DISK_FREE_BYTES`, `FURROW_DISK_FREE_PERCENT` and `FURROW_DISK_BALLAST_BYTES` say otherwise.
    init(_ settings: Settings) throws(SettingError) {
        if let bytes = try settings.number("DISK_FREE_BYTES", in: 0...Int.max) { freeBytes = UInt64(bytes) }
        if let percent = try settings.number("DISK_FREE_PERCENT", in: 0...90) { freePercent = UInt64(percent) }
        if let bytes = try settings.number("DISK_BALLAST_BYTES", in: 0...(1 << 40)) { ballastBytes = UInt64(bytes) }
    }
}
