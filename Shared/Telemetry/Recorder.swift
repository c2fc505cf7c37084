internal import Synchronization

/// Records log lines for tests: every line of any level, including those that the rate limiter would suppress.
public final class Recorder: Sendable {
    /// One line as it was logged.
    public struct Line: Sendable, Equatable {
        /// The level of the line.
        public let level: Logger.Level
        /// The constant message.
        public let message: String
        /// The metadata of the line.
        public let metadata: [String: String]
    }

    /// A meter for the test.
    public let meter = Meter()
    private let recorded = Mutex<[Line]>([])

    /// Creates a recorder without lines.
    public init() {}

    /// A logger that writes nothing and records its lines here.
    public var logger: Logger {
        Logger(service: "test", level: .trace, now: { 0 }, output: { _ in }, recorder: self)
    }

    /// The recorded lines, in order; at most `TelemetryLimits.recordedMax`.
    public var lines: [Line] { recorded.withLock { $0 } }

    func record(_ line: Line) {
        recorded.withLock { lines in
            if lines.count < TelemetryLimits.recordedMax { lines.append(line) }
        }
    }
}
