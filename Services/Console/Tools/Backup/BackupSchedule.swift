import Vocabulary

/// When the backup of a night is due.
///
/// It is made at two o'clock, local time. A night that was missed, because the machine was off or the backup failed, is
/// made up for.
struct BackupSchedule: Sendable {
    static let hour = 2
    /// Seconds after which a farm server without any backup gets its first one: before the doctor misses it.
    static let firstSeconds = 3_000.0
    /// Seconds after which a night was missed: with a longer night, when clocks are set back.
    static let missedSeconds = 26 * 3_600.0
    /// The age below which a backup, made by hand in the evening, is enough for the night.
    static let freshSeconds = 12 * 3_600.0
    /// Seconds between two attempts.
    static let retrySeconds = 900.0

    /// When this process began.
    let began: Instant

    /// - Parameters:
    ///   - now: the time by the machine's clock.
    ///   - zone: that of the machine.
    ///   - last: when the last backup was made; nil if there is none.
    ///   - tried: when this process began the last attempt.
    func isDue(at now: Instant, in zone: Zone, last: Instant?, tried: Instant?) -> Bool {
        // In both directions: a clock may be set back.
        if let tried, abs(now.seconds(since: tried)) < Self.retrySeconds { return false }
        guard let last else { return abs(now.seconds(since: began)) >= Self.firstSeconds }
        let age = now.seconds(since: last)
        // A backup that is dated in the future was made while the clock was wrong; it does not count.
        if age >= Self.missedSeconds || age < -Self.freshSeconds { return true }
        let seconds = zone.local(of: now) % 86_400
        return age >= Self.freshSeconds && (seconds + 86_400) % 86_400 / 3_600 == Int64(Self.hour)
    }
}
