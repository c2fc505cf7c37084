/// Writes JSON lines to standard error: a constant message, and variable data as metadata with dotted keys.
///
/// A line must not contain external data as a whole: no payload, name, address or token. A message that is too frequent
/// is counted instead of written; a later line contains the number as `suppressed`.
///
/// ```
/// let log = Logger(service: "trace-ledger")
/// log.warning("page refused", ["feed": feed, "reason": "\(error)"])
/// ```
public struct Logger: Sendable {
    /// The severity of a line, from least to most.
    public enum Level: Sendable, Comparable, CaseIterable { case trace, debug, info, notice, warning, error }

    /// Dotted keys, such as `stream.id` or `feed.origin`, and short values.
    public typealias Metadata = [String: String]

    /// The name of the service, which every line contains.
    public let service: String
    /// Lines below this level are not written.
    public var level: Level
    private var fixed: Metadata = [:]
    private let limiter = LogRateLimiter()
    private let now: @Sendable () -> Int64
    private let output: @Sendable ([UInt8]) -> Void
    private let recorder: Recorder?

    /// A logger to standard error.
    public init(service: String, level: Level = .info) {
        self.init(service: service, level: level, now: StandardError.milliseconds, output: StandardError.write)
    }

    /// Creates a logger to another output; `now` returns milliseconds since 1970, `output` receives whole lines with
    /// their newline.
    public init(
        service: String, level: Level, now: @escaping @Sendable () -> Int64,
        output: @escaping @Sendable ([UInt8]) -> Void, recorder: Recorder? = nil
    ) {
        self.service = service
        self.level = level
        self.now = now
        self.output = output
        self.recorder = recorder
    }

    /// Returns the same logger with this metadata added to every line.
    public func with(_ metadata: Metadata) -> Logger {
        var logger = self
        logger.fixed.merge(metadata) { $1 }
        return logger
    }

    /// Writes a line if its level is enabled and its message is not too frequent.
    public func log(_ level: Level, _ message: StaticString, _ metadata: @autoclosure () -> Metadata = [:]) {
        guard level >= self.level else { return }
        let metadata = fixed.merging(metadata()) { $1 }
        recorder?.record(Recorder.Line(level: level, message: "\(message)", metadata: metadata))
        let time = now()
        let verdict = limiter.admit("\(message)", level, at: time)
        for (message, window) in verdict.over { write(window.level, message, [:], at: time, suppressed: window.held) }
        if verdict.isWritten { write(level, "\(message)", metadata, at: time) }
    }

    private func write(_ level: Level, _ text: String, _ metadata: Metadata, at time: Int64, suppressed: Int = 0) {
        // Leaves space for the mark of a truncated line, the closing brace and the newline.
        var line = LineText(bound: TelemetryLimits.lineBytesMax - 20)
        line.add("time", timestamp(milliseconds: time))
        line.add("level", "\(level)")
        line.add("service", service)
        line.add("message", text)
        if suppressed > 0 { line.add("suppressed", raw: Array(String(suppressed).utf8)) }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line.add(Self.reserved.contains(key) ? key + "_" : key, value)
        }
        let cut = line.isCut ? Array(",\"cut\":true}\n".utf8) : Array("}\n".utf8)
        output(line.bytes + cut)
    }

    private static let reserved: Set<String> = ["time", "level", "service", "message", "suppressed", "cut"]
}

extension Logger {
    /// Logs details of a single step, for debugging only.
    public func trace(_ text: StaticString, _ data: @autoclosure () -> Metadata = [:]) { log(.trace, text, data()) }
    /// Logs a step, for debugging only.
    public func debug(_ text: StaticString, _ data: @autoclosure () -> Metadata = [:]) { log(.debug, text, data()) }
    /// Logs a normal event.
    public func info(_ text: StaticString, _ data: @autoclosure () -> Metadata = [:]) { log(.info, text, data()) }
    /// Logs a milestone of normal operation, such as the start.
    public func notice(_ text: StaticString, _ data: @autoclosure () -> Metadata = [:]) { log(.notice, text, data()) }
    /// Logs that something is degraded but continues.
    public func warning(_ text: StaticString, _ data: @autoclosure () -> Metadata = [:]) { log(.warning, text, data()) }
    /// Logs that an operator has to act.
    public func error(_ text: StaticString, _ data: @autoclosure () -> Metadata = [:]) { log(.error, text, data()) }
}
