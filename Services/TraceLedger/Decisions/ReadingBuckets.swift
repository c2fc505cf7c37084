import Vocabulary

/// The length of the buckets that readings are summarised in.
enum Resolution: String, CaseIterable, Sendable {
    case minute = "1m"
    case fiveMinutes = "5m"
    case quarterHour = "15m"
    case hour = "1h"
    /// A calendar day in the farm's time zone: 23 to 25 hours.
    case day = "1d"

    /// The usual length in seconds.
    var seconds: Int64 {
        switch self {
        case .minute: 60
        case .fiveMinutes: 300
        case .quarterHour: 900
        case .hour: 3600
        case .day: 86_400
        }
    }

    /// Returns the bucket that contains a time. Minutes and hours are those of UTC.
    func bucket(of time: Instant, in zone: Zone) -> Range<Instant> {
        if self == .day {
            let start = zone.startOfDay(of: time)
            return start..<zone.startOfNextDay(after: start)
        }
        let length = seconds * 1_000_000
        let start = time.microseconds.floored(to: length)
        return Instant(microseconds: start)..<Instant(microseconds: start + length)
    }
}

/// The strictest limits that alarm rules set for a quantity of a place.
struct ReadingLimits: Hashable, Sendable {
    private(set) var above: Double?
    private(set) var below: Double?

    mutating func add(above: Double?, below: Double?) {
        if let above { self.above = min(self.above ?? above, above) }
        if let below { self.below = max(self.below ?? below, below) }
    }
}

/// The readings of one bucket.
struct ReadingBucket: Equatable, Sendable {
    let start: Instant
    /// 0 if a value of before still counts, but no report arrived.
    private(set) var count = 0
    private var sum = 0.0
    private(set) var lowest = Double.infinity
    private(set) var highest = -Double.infinity
    private(set) var last = 0.0
    private var lastAt = Instant.earliest
    /// How far and how long values were above the upper limit: units × hours, 0 without such a limit.
    fileprivate(set) var unitHoursAbove = 0.0
    /// The same below the lower limit.
    fileprivate(set) var unitHoursBelow = 0.0

    init(start: Instant) {
        self.start = start
    }

    var mean: Double { sum / Double(max(count, 1)) }

    fileprivate mutating func add(_ sample: Sample) {
        count += sample.count
        sum += sample.sum
        lowest = min(lowest, sample.lowest)
        highest = max(highest, sample.highest)
        if sample.at >= lastAt { (last, lastAt) = (sample.last, sample.at) }
    }

    /// Adds the same bucket of another point. Unit-hours are those of the worse point, because two shelves that are
    /// both an hour too warm are too warm for one hour.
    fileprivate mutating func add(_ other: ReadingBucket) {
        count += other.count
        sum += other.sum
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
        if other.lastAt >= lastAt { (last, lastAt) = (other.last, other.lastAt) }
        unitHoursAbove = max(unitHoursAbove, other.unitHoursAbove)
        unitHoursBelow = max(unitHoursBelow, other.unitHoursBelow)
    }
}

/// Summarises the samples of measuring points in the buckets of a period. Pure: the same samples give the same buckets,
/// in whichever order they were reported.
///
/// A value counts from its report until the next one of its point, but at most for an hour, so that a silent sensor
/// adds nothing. An interval across a border is divided between its buckets.
struct ReadingBuckets {
    /// Seconds for which a value counts without another report.
    static let heldSeconds = 3600.0

    private let resolution: Resolution
    private let zone: Zone
    /// Whole buckets.
    private let period: Range<Instant>
    /// The end of what could have been measured.
    private let now: Instant
    private var buckets: [Instant: ReadingBucket] = [:]

    init(_ resolution: Resolution, in zone: Zone, period: Range<Instant>, now: Instant) {
        self.resolution = resolution
        self.zone = zone
        self.period = period
        self.now = now
    }

    /// The buckets in which anything was measured or still counted, in order.
    var sorted: [ReadingBucket] { buckets.values.sorted { $0.start < $1.start } }

    /// Adds the samples of one point, which must be in the order of time, and may begin before the period.
    mutating func add(_ samples: [Sample], limits: ReadingLimits) {
        var own: [Instant: ReadingBucket] = [:]
        var bucket = period.lowerBound..<period.lowerBound
        func find(_ time: Instant) -> Instant {
            if !bucket.contains(time) { bucket = resolution.bucket(of: time, in: zone) }
            return bucket.lowerBound
        }
        for (index, sample) in samples.enumerated() {
            if period.contains(sample.at) {
                let start = find(sample.at)
                own[start, default: ReadingBucket(start: start)].add(sample)
            }
            let next = index + 1 < samples.count ? samples[index + 1].at : .latest
            let end = min(next, sample.at.advanced(bySeconds: Self.heldSeconds), period.upperBound, now)
            let above = max(0, sample.last - (limits.above ?? .infinity))
            let below = max(0, (limits.below ?? -.infinity) - sample.last)
            guard above > 0 || below > 0 else { continue }
            var time = max(sample.at, period.lowerBound)
            while time < end {
                let start = find(time)
                let until = min(end, bucket.upperBound)
                let hours = until.seconds(since: time) / 3600
                own[start, default: ReadingBucket(start: start)].unitHoursAbove += above * hours
                own[start, default: ReadingBucket(start: start)].unitHoursBelow += below * hours
                time = until
            }
        }
        for (start, one) in own { buckets[start, default: ReadingBucket(start: start)].add(one) }
    }
}
