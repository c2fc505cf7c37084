/// Something worth knowing that happens again and again: one type for its line in the log and its numbers.
///
/// Named after what happened, for example `BatchAppended` or `PageRefused`.
public protocol Observation: Sendable {
    static var message: StaticString { get }
    var level: Logger.Level { get }
    /// What differs from one time to the next; dotted keys, never a payload.
    var metadata: [String: String] { get }
    /// Counts it.
    func measure(in meter: Meter)
}

extension Observation {
    public var level: Logger.Level { .info }
    public var metadata: [String: String] { [:] }

    /// Writes the line and counts.
    public func tell(_ log: Logger, _ meter: Meter) {
        log.log(level, Self.message, metadata)
        measure(in: meter)
    }
}
