/// The result of decoding one input.
public struct DecodedInput: Equatable, Sendable {
    public var reports: [Report] = []
    public var beacons: [Beacon] = []
    public var raws: [RawReport] = []
    /// Messages that were decoded down to their payload, which is no report and matches no layout.
    public var unclaimed: [ZigBeeMessage] = []
    /// The parts that could not be decoded. What precedes them in the input is in the other lists.
    public var problems: [Malformed] = []
    /// The parts that are encrypted with an unknown key, such as a neighbour's. They are counted, not stored.
    public var sealed: [Malformed] = []
    /// Advertisements that carry data of which nothing was decoded.
    public var misses: [UndecodedAdvertisement] = []

    public init() {}

    public init(_ report: Report) {
        reports = [report]
    }

    public init(problem: Malformed) {
        note(problem)
    }

    /// Adds an error to `sealed` if only a key is missing, else to `problems`.
    mutating func note(_ problem: Malformed) {
        if problem.isSealed { sealed.append(problem) } else { problems.append(problem) }
    }

    public var isEmpty: Bool {
        reports.isEmpty && beacons.isEmpty && raws.isEmpty && unclaimed.isEmpty && problems.isEmpty && sealed.isEmpty
            && misses.isEmpty
    }

    public mutating func append(_ other: DecodedInput) {
        // Nearly every packet carries one advertisement, and this one structure with values.
        guard !isEmpty else {
            self = other
            return
        }
        reports += other.reports
        beacons += other.beacons
        raws += other.raws
        unclaimed += other.unclaimed
        problems += other.problems
        sealed += other.sealed
        misses += other.misses
    }
}
