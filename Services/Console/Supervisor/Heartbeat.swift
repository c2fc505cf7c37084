import Host
import System

/// The heartbeat of a service's watchdog, about one beat a second, as its parent process reads it.
///
/// A watchdog ends a process whose loop hangs, but not one that is stopped as a whole (SIGSTOP). The parent does that,
/// and counts running time as the watchdog does.
final class Heartbeat {
    private let path: String
    /// Running seconds without a beat after which the process is ended; 0 never ends it.
    let seconds: Int64
    private var number: SharedNumber?
    private var rule = HangRule(gapSeconds: gapSeconds)

    /// The longest gap between two checks of the parent that counts as running time: each start may take it a second.
    static let gapSeconds: Int64 = 10
    private static let usualSeconds = 30

    init(_ path: String, environment: [String: String]) throws(SettingError) {
        self.path = path
        seconds = Int64(
            try Settings(environment: environment).number("HANG_SECONDS", in: 0...600) ?? Self.usualSeconds)
    }

    /// Starts watching a new process. Without a file for the beats, the process is not watched.
    func begin(_ command: inout Process.Command) {
        rule = HangRule(gapSeconds: Self.gapSeconds)
        do throws(SystemError) {
            if number == nil { number = try SharedNumber(path: path, first: 0) }
            command.environment["FURROW_HEARTBEAT"] = path
        } catch {
            command.environment["FURROW_HEARTBEAT"] = nil
        }
    }

    /// Returns whether no beat arrived for `seconds`; must be called at every check.
    func isStill(at monotonic: Int64) -> Bool {
        guard let number, seconds > 0 else { return false }
        return rule.tick(at: monotonic, progress: UInt64(bitPattern: number.value)) >= seconds * 1_000_000
    }
}
