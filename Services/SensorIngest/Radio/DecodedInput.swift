/// Everything that one input told.
public struct DecodedInput: Equatable, Sendable {
    public var reports: [Report] = []
    public var beacons: [Beacon] = []
    public var raws: [RawReport] = []
    /// Messages that were read down to their payload, which is no report and nobody's layout.
    public var unclaimed: [ZigBeeMessage] = []
    /// What could not be read; the lists hold what was read before it.
    public var problems: [Malformed] = []
    /// What lies under a key that is not known, as all that neighbours encrypt does: to be counted, not kept.
    public var sealed: [Malformed] = []
    /// Advertisements that gave nothing although they carry data.
    public var misses: [AdvertMiss] = []

    public init() {}

    public init(_ report: Report) {
        reports = [report]
    }

    public init(problem: Malformed) {
        note(problem)
    }

    /// Adds what could not be read, by whether a key is all that is missing.
    mutating func note(_ problem: Malformed) {
        if problem.isSealed { sealed.append(problem) } else { problems.append(problem) }
    }

    public var isEmpty: Bool {
        reports.isEmpty && beacons.isEmpty && raws.isEmpty && unclaimed.isEmpty && problems.isEmpty && sealed.isEmpty
            && misses.isEmpty
    }

    public mutating func append(_ other: DecodedInput) {
        reports += other.reports
        beacons += other.beacons
        raws += other.raws
        unclaimed += other.unclaimed
        problems += other.problems
        sealed += other.sealed
        misses += other.misses
    }
}
