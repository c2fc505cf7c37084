/// The limits of what a hub keeps and sends.
enum QueueLimits {
    /// Days for which a report is kept that the farm has not accepted.
    static let days = 7
    /// The most reports that are kept; the oldest are removed first. 256 devices that report every 150 s fill a week.
    static let reports = 1_048_576
    /// The most reports in one request, whose body stays below the 512 KiB that the farm accepts.
    static let batch = 500
    /// The most requests whose reports are kept after the farm refused them; the oldest are removed first.
    static let refused = 16
    /// Microseconds that reports wait in memory, so that one sync of the disk stores many.
    static let groupMicroseconds: Int64 = 1_000_000
    /// The most reports that wait in memory.
    static let group = 256
    /// Seconds after which a request has failed.
    static let requestSeconds = 30.0
    /// Microseconds between two requests with what was received of beacons, and seconds after which one has failed.
    static let rangingMicroseconds: Int64 = 1_000_000
    static let rangingSeconds = 5.0
    /// The first pause after a failure, and the longest one.
    static let pauseMicroseconds: Int64 = 1_000_000
    static let longestPauseMicroseconds: Int64 = 60_000_000
    /// Microseconds between two status files, and between two searches for reports that are too old.
    static let statusMicroseconds: Int64 = 5_000_000
    static let tidyMicroseconds: Int64 = 60_000_000
    /// Microseconds between two reports of the hub about itself to the farm.
    static let reportMicroseconds: Int64 = 60_000_000
    /// The most characters of a reason in them.
    static let reasonCharacters = 200
    /// The most bytes of a token's file, and of the status file.
    static let tokenBytes = 4_096
    static let statusBytes = 65_536
}
