internal import Synchronization

/// Keeps what was logged, for tests: every line at its level, also those that a flood would hold back.
public final class Recorder: Sendable {
    /// One line as it was logged.
    public struct Line: Sendable, Equatable {
        public let level: Logger.Level
        public let message: String
        public let metadata: [String: String]
    }

    public let meter = Meter()
    private let recorded = Mutex<[Line]>([])

    public init() {}

    /// A logger that writes nothing and is heard here.
    public var logger: Logger {
        Logger(service: "test", level: .trace, now: { 0 }, output: { _ in }, recorder: self)
    }

    public var lines: [Line] { recorded.withLock { $0 } }

    func record(_ line: Line) {
        recorded.withLock { lines in
            if lines.count < TelemetryLimits.recordedMax { lines.append(line) }
        }
    }
}
