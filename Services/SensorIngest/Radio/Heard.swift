/// Everything that one input told.
public struct Heard: Equatable, Sendable {
    public var reports: [Report] = []
    public var beacons: [Beacon] = []
    public var raws: [RawReport] = []
    /// What could not be read; the lists hold what was read before it.
    public var problems: [Malformed] = []

    public init() {}

    public init(_ report: Report) {
        reports = [report]
    }

    public init(problem: Malformed) {
        problems = [problem]
    }

    public var isEmpty: Bool { reports.isEmpty && beacons.isEmpty && raws.isEmpty && problems.isEmpty }

    public mutating func append(_ other: Heard) {
        reports += other.reports
        beacons += other.beacons
        raws += other.raws
        problems += other.problems
    }
}
