internal import Synchronization

/// Limits how many lines with one message are written per time window, and counts the rest.
final class LogRateLimiter: Sendable {
    struct Window {
        let start: Int64
        var level: Logger.Level
        var heard = 0
        var held = 0
    }

    private let windows = Mutex<[String: Window]>([:])

    /// Returns whether this line is written, and the messages whose window has ended with suppressed lines.
    func admit(_ message: String, _ level: Logger.Level, at time: Int64) -> (isWritten: Bool, over: [String: Window]) {
        windows.withLock { windows in
            // A clock that was set back ends a window too.
            let span = TelemetryLimits.windowSeconds * 1_000
            let over = windows.filter { $0.value.held > 0 && !(0..<span).contains(time - $0.value.start) }
            for key in over.keys { windows[key] = nil }
            // Beyond the limit of messages, all further ones share one window.
            let isKnown = windows[message] != nil || windows.count < TelemetryLimits.messagesMax
            let key = isKnown ? message : "other messages"
            var window = windows[key] ?? Window(start: time, level: level)
            if !(0..<span).contains(time - window.start) { window = Window(start: time, level: level) }
            let isWritten = window.heard < TelemetryLimits.linesPerWindow
            if isWritten { window.heard += 1 } else { window.held += 1 }
            window.level = max(window.level, level)
            windows[key] = window
            return (isWritten, over)
        }
    }
}
