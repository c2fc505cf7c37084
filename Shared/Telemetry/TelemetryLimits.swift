/// The bounds of what telemetry keeps and says, so that neither a flood nor a foe fills a disk or the memory.
public enum TelemetryLimits {
    /// Bytes of one log line, its newline included.
    public static let lineBytesMax = 4_096
    /// Bytes of one value in a line or a label, after escaping.
    public static let valueBytesMax = 512
    /// Lines with one message in one window; what comes beyond is counted.
    public static let linesPerWindow = 10
    public static let windowSeconds: Int64 = 10
    /// Messages that are told apart; constants in the code, so there are few.
    public static let messagesMax = 256
    /// Names of metrics, and label sets of one of them.
    public static let metricsMax = 256
    public static let seriesMax = 256
    /// Labels of one series.
    public static let labelsMax = 8
    /// Lines and reports a ``Recorder`` keeps.
    public static let recordedMax = 10_000
}
