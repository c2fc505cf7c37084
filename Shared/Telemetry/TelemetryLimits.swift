/// The limits of what telemetry stores and writes, so that neither a flood nor an attacker fills a disk or the memory.
public enum TelemetryLimits {
    /// Bytes of one log line, its newline included.
    public static let lineBytesMax = 4_096
    /// Bytes of one value in a line or a label, after escaping.
    public static let valueBytesMax = 512
    /// Lines with one message in one window; further ones are counted.
    public static let linesPerWindow = 10
    /// The length of a window in seconds.
    public static let windowSeconds: Int64 = 10
    /// Messages that are limited separately; they are constants in the code, so there are few.
    public static let messagesMax = 256
    /// Names of metrics.
    public static let metricsMax = 256
    /// Label sets of one metric.
    public static let seriesMax = 256
    /// Labels of one series.
    public static let labelsMax = 8
    /// Lines that a ``Recorder`` stores.
    public static let recordedMax = 10_000
}
