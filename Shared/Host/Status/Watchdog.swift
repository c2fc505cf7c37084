import System
import Telemetry

/// Ends this process if its event loop hangs, so that its parent process restarts it.
///
/// A thread checks the loop's progress about once a second and counts its own running time (``HangRule``). It also
/// increments a number that the parent process reads, because a process that is suspended as a whole cannot end itself.
final class Watchdog: Sendable {
    private let worker: Worker

    /// - Parameters:
    ///   - seconds: running time without progress after which the process ends; 0 never ends it.
    ///   - heartbeat: what the parent process reads; nil without such a parent.
    init(_ progress: EventLoopProgress, seconds: Int64, heartbeat: SharedNumber?, log: Logger) throws(SystemError) {
        worker = try Worker(name: "watchdog") {
            var rule = HangRule(gapSeconds: HostLimits.watchGapSeconds)
            var beats = heartbeat?.value ?? 0
            while Self.pause(milliseconds: HostLimits.watchMilliseconds) {
                beats += 1
                heartbeat?.store(beats)
                let (count, activity) = progress.last
                let stalled = rule.tick(at: Clock.monotonicMicroseconds(), progress: count)
                guard seconds > 0, stalled >= activity.seconds(usual: seconds) * 1_000_000 else { continue }
                Self.end(activity, stalled / 1_000_000, log)
            }
        }
    }

    /// Logs why and ends the process, even if the log cannot be written: its disk or pipe may be what hangs.
    private static func end(_ activity: EventLoopProgress.Activity, _ seconds: Int64, _ log: Logger) -> Never {
        do {
            let writer = try Worker(name: "last words") {
                log.error(
                    "hung: ending",
                    ["reason": "\(activity.sentence) for \(seconds) s", "exit.status": "\(HangStatus.code)"])
                Machine.end(HangStatus.code)
            }
            _ = pause(milliseconds: HostLimits.lastWordsMilliseconds)
            _ = writer
        } catch {
            // Without a thread for the log line, the process ends without one.
        }
        Machine.end(HangStatus.code)
    }

    private static func pause(milliseconds: Int) -> Bool {
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: milliseconds)
            return true
        } catch {
            return false
        }
    }
}

/// The exit status of a process that its own watchdog ended; no other end of a service has it.
public enum HangStatus {
    /// The exit status.
    public static let code: Int32 = 79
}
