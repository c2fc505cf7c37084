import Host
import System
import Vocabulary

/// The clock of a farm server, as its options say.
enum RequestedClock {
    /// Returns the requested clock. A demonstration in a new home begins a week in the past.
    static func make(_ options: RunOptions, _ farmPaths: FarmPaths) throws -> AdjustableClock {
        let now = AdjustableClock.machine
        let isFirst = !File.exists(farmPaths.demoFile) && !File.exists("\(farmPaths.home)/trace-ledger")
        // The clock stands still for the time of a start, so that all services are ready for the first report.
        let anchor = now.advanced(bySeconds: RunOptions.demoPreludeSeconds)
        let usual =
            options.isDemo && isFirst
            ? "\(now.advanced(bySeconds: -7 * 86_400))*\(options.demoRate)@\(anchor)" : nil
        guard let text = options.clock ?? usual else { return .real }
        guard let clock = AdjustableClock(text, now: now) else {
            throw Refusal("--clock must be START*RATE, START in the past, such as 2026-05-01T00:00:00Z*3600.")
        }
        return clock
    }
}
