/// Notices that the clock was set: boxes without a battery for their clock start with a wrong time, and set it once
/// they have a network.
///
/// ```
/// var watch = ClockWatch(real: Clock.realMicroseconds(), boot: Clock.bootMicroseconds())
/// if let difference = watch.difference(real: Clock.realMicroseconds(), boot: Clock.bootMicroseconds()) { … }
/// ```
public struct ClockWatch: Hashable, Sendable {
    private var offset: Int64

    /// - Parameters: The clock's time, and the time since the machine's start, in microseconds.
    public init(real: Int64, boot: Int64) {
        offset = real - boot
    }

    /// Returns by how many microseconds the clock was set since the last call; nil if it only drifted.
    public mutating func difference(real: Int64, boot: Int64) -> Int64? {
        let difference = real - boot - offset
        offset += difference
        return abs(difference) >= SystemLimits.clockSetMicroseconds ? difference : nil
    }
}
