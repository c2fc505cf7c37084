/// Decides when a finding about the farm server is raised, and when it is over. Pure.
///
/// A service that restarts is silent for seconds, which wakes no one. So a finding is raised when some reports in a row
/// contain it, and is over when two in a row lack it.
struct TroubleWatch: Sendable {
    /// What a report says of one check.
    struct Finding: Hashable, Sendable {
        let check: String
        let said: String
        let advice: String?
    }

    /// What a report changes.
    struct Changes: Equatable {
        var raised: [Finding] = []
        var cleared: [String] = []
    }

    /// Reports in a row, one a minute, that must contain a finding; and one about backups, as a new farm has none yet.
    static let reports = 3
    static let backupReports = 60
    /// Reports in a row that must lack it until it is over.
    static let clearReports = 2
    /// Ticks without a report after which the watch itself counts as failed.
    static let silentTicks: UInt64 = 900 * GatewayLimits.ticksPerSecond
    /// The check that is the watch itself.
    static let itself = "watch"

    /// The number of reports in a row that contain a finding that is not raised, or that lack one that is.
    private var found: [String: Int] = [:]
    private var missed: [String: Int] = [:]
    private var heard: UInt64?

    /// - Parameters:
    ///   - findings: What has to be done at once.
    ///   - open: The checks that are raised.
    mutating func take(_ findings: [Finding], open: Set<String>, at tick: UInt64) -> Changes {
        heard = tick
        let byCheck = Dictionary(findings.map { ($0.check, $0) }, uniquingKeysWith: { first, _ in first })
        found = Self.counted(found, byCheck.keys.filter { !open.contains($0) })
        missed = Self.counted(missed, open.filter { byCheck[$0] == nil })
        let raised = found.filter { $0.value >= ($0.key == "backup" ? Self.backupReports : Self.reports) }
        let cleared = missed.filter { $0.value >= Self.clearReports || $0.key == Self.itself }
        return Changes(raised: raised.keys.sorted().compactMap { byCheck[$0] }, cleared: cleared.keys.sorted())
    }

    /// Returns the numbers of the given checks, one higher than before.
    private static func counted(_ before: [String: Int], _ checks: some Sequence<String>) -> [String: Int] {
        Dictionary(checks.map { ($0, before[$0, default: 0] + 1) }, uniquingKeysWith: max)
    }

    /// Returns the finding that reports have stopped; nil while they come, or if none ever came.
    mutating func silence(open: Set<String>, at tick: UInt64) -> Finding? {
        guard let heard, tick - heard >= Self.silentTicks, !open.contains(Self.itself) else { return nil }
        return Finding(
            check: Self.itself, said: "The farm server's checks have stopped, so that other trouble is not noticed.",
            advice: "Look at furrow doctor and at the log of watch, and restart the farm server.")
    }
}
