/// A recurring event worth observing: one type for its log line and its metrics.
///
/// Named after what happened, for example `BatchAppended` or `PageRefused`.
public protocol Observation: Sendable {
    /// The constant message of the log line.
    static var message: StaticString { get }
    /// The level of the log line.
    var level: Logger.Level { get }
    /// The variable data; dotted keys, never a payload.
    var metadata: [String: String] { get }
    /// Adds the event to its metrics.
    func measure(in meter: Meter)
}

extension Observation {
    /// The default level is `info`.
    public var level: Logger.Level { .info }
    /// The default is no metadata.
    public var metadata: [String: String] { [:] }

    /// Writes the log line and updates the metrics.
    public func emit(_ log: Logger, _ meter: Meter) {
        log.log(level, Self.message, metadata)
        measure(in: meter)
    }
}
