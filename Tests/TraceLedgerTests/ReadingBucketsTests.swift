import Events
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Buckets of readings")
struct ReadingBucketsTests {
    private let vienna = Zones().zone("Europe/Vienna") ?? .utc

    private func time(_ text: String) throws -> Instant { try #require(Instant(text)) }

    private func limits(above: Double? = nil, below: Double? = nil) -> ReadingLimits {
        var limits = ReadingLimits()
        limits.add(above: above, below: below)
        return limits
    }

    private func buckets(
        _ resolution: Resolution, _ from: String, _ to: String, _ samples: [(String, Double)],
        limits: ReadingLimits = ReadingLimits(), now: String = "2030-01-01T00:00:00Z"
    ) throws -> [ReadingBucket] {
        var buckets = ReadingBuckets(resolution, in: vienna, period: try time(from)..<time(to), now: try time(now))
        buckets.add(try samples.map { Sample($0.1, at: try time($0.0)) }, limits: limits)
        return buckets.sorted
    }

    @Test func `a day begins at the farm's midnight and has 23, 24 or 25 hours`() throws {
        func day(_ text: String) throws -> [String] {
            let day = Resolution.day.bucket(of: try time(text), in: vienna)
            return [day.lowerBound.description, day.upperBound.description]
        }
        // In 2026 the clocks of Vienna go forward on 29 March and back on 25 October.
        for within in ["2026-03-28T23:00:00Z", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-03-29T21:59:59Z"] {
            #expect(try day(within) == ["2026-03-28T23:00:00.000000Z", "2026-03-29T22:00:00.000000Z"])
        }
        for within in ["2026-10-24T22:00:00Z", "2026-10-25T00:59:59Z", "2026-10-25T01:00:00Z", "2026-10-25T22:59:59Z"] {
            #expect(try day(within) == ["2026-10-24T22:00:00.000000Z", "2026-10-25T23:00:00.000000Z"])
        }
        #expect(try day("2026-06-01T12:00:00Z") == ["2026-05-31T22:00:00.000000Z", "2026-06-01T22:00:00.000000Z"])
    }

    @Test(arguments: [
        "Europe/Vienna", "Asia/Beirut", "America/Havana", "America/New_York", "Asia/Kolkata", "Asia/Gaza",
    ])
    func `days of a zone follow each other without a gap, and each has one date`(name: String) throws {
        let zone = try #require(Zones().zone(name))
        var day = Resolution.day.bucket(of: try time("2019-12-31T12:00:00Z"), in: zone)
        for _ in 0..<4000 {
            let next = Resolution.day.bucket(of: day.upperBound, in: zone)
            #expect(next.lowerBound == day.upperBound)
            let last = Instant(microseconds: day.upperBound.microseconds - 1)
            #expect(day.lowerBound.day(in: zone) == last.day(in: zone))
            #expect(last.day(in: zone) != next.lowerBound.day(in: zone))
            #expect(Resolution.day.bucket(of: last, in: zone) == day)
            day = next
        }
    }

    /// By hand: 9 °C is 1 above the limit of 8 from 10:00 to 10:30, 12 °C is 4 above from 10:30 to 11:15, and 7 °C is
    /// not: 1 × 0.5 + 4 × 0.5 until 11:00, and 4 × 0.25 afterwards.
    @Test func `degree-hours are the excess times its duration, divided at the border of two buckets`() throws {
        let samples = [("2026-05-03T10:00:00Z", 9.0), ("2026-05-03T10:30:00Z", 12), ("2026-05-03T11:15:00Z", 7)]
        let hours = try buckets(
            .hour, "2026-05-03T10:00:00Z", "2026-05-03T13:00:00Z", samples, limits: limits(above: 8, below: 7.5))
        #expect(hours.map(\.unitHoursAbove) == [2.5, 1, 0])
        // 7 °C is half a degree below 7.5 for the hour that it counts: 45 minutes and then 15.
        #expect(hours.map(\.unitHoursBelow) == [0, 0.375, 0.125])
        #expect(hours.map(\.count) == [2, 1, 0])
        let quarters = try buckets(
            .quarterHour, "2026-05-03T10:00:00Z", "2026-05-03T13:00:00Z", samples, limits: limits(above: 8))
        #expect(abs(quarters.map(\.unitHoursAbove).reduce(0, +) - 3.5) < 1e-9)
    }

    @Test func `a silent sensor's last value counts for an hour, and never beyond now`() throws {
        let samples = [("2026-05-03T10:00:00Z", 10.0)]
        let day = try buckets(
            .day, "2026-05-02T22:00:00Z", "2026-05-03T22:00:00Z", samples, limits: limits(above: 8))
        #expect(day.map(\.unitHoursAbove) == [2])
        let soon = try buckets(
            .day, "2026-05-02T22:00:00Z", "2026-05-03T22:00:00Z", samples, limits: limits(above: 8),
            now: "2026-05-03T10:15:00Z")
        #expect(soon.map(\.unitHoursAbove) == [0.5])
    }

    @Test func `a value from before the period still counts in its first bucket, which has no report`() throws {
        let found = try buckets(
            .fiveMinutes, "2026-05-03T10:00:00Z", "2026-05-03T10:05:00Z", [("2026-05-03T09:58:00Z", 10)],
            limits: limits(above: 8))
        #expect(found.map(\.count) == [0])
        #expect(abs(found[0].unitHoursAbove - 2 * 5 / 60) < 1e-9)
    }

    @Test func `two points that are too warm for the same hour count once, the worse one`() throws {
        var buckets = ReadingBuckets(
            .hour, in: .utc, period: try time("2026-05-03T10:00:00Z")..<time("2026-05-03T11:00:00Z"),
            now: try time("2026-05-03T12:00:00Z"))
        let start = try time("2026-05-03T10:00:00Z")
        buckets.add([Sample(9, at: start)], limits: limits(above: 8))
        buckets.add([Sample(11, at: start)], limits: limits(above: 8))
        let bucket = try #require(buckets.sorted.first)
        #expect(bucket.unitHoursAbove == 3)
        #expect(bucket.count == 2 && bucket.lowest == 9 && bucket.mean == 10 && bucket.highest == 11)
    }

    @Test func `of several rules the strictest limits apply`() {
        var limits = limits(above: 8, below: 2)
        limits.add(above: 7, below: nil)
        limits.add(above: 9, below: 3)
        #expect(limits == self.limits(above: 7, below: 3))
    }

    @Test func `samples of a minute are the same in whichever order its reports arrive`() throws {
        let series = SeriesRow(.plot("p1"), "m1", "ble:01")
        let start = try time("2026-05-03T10:00:00Z")
        let reports = [(0.0, 3.0), (20, 1), (40, 2), (61, 7), (3599, 5)]
        func row(_ order: [(Double, Double)]) throws -> SampleRow {
            var row = SampleRow(series, hour: start.hours)
            for (seconds, value) in order {
                let time = start.advanced(bySeconds: seconds)
                row.add([Reading(.temperature, value), Reading(.humidity, value * 10)], at: time)
                // A row is what its cells say.
                row = try SampleRow(key: row.key, cells: row.cells)
            }
            return row
        }
        let samples = try row(reports).samples(of: .temperature)
        #expect(try row(reports.reversed()).samples(of: .temperature) == samples)
        #expect(samples.map(\.last) == [2, 7, 5])
        #expect(samples.map(\.count) == [3, 1, 1])
        #expect(samples[0].lowest == 1 && samples[0].highest == 3 && samples[0].sum == 6)
        #expect(try row(reports).samples(of: .humidity).map(\.last) == [20, 70, 50])
        #expect(try row(reports).samples(of: .rain).isEmpty)
    }

    @Test func `quantities of one minute that are reported at different times stay in the order of time`()
        throws
    {
        let start = try time("2026-05-03T10:00:00Z")
        let reports: [(Double, Quantity, Double)] = [
            (10, .temperature, 1), (50, .humidity, 60), (70, .temperature, 2), (55, .temperature, 3), (5, .rain, 4),
        ]
        var texts: Set<String> = []
        for order in [reports, reports.reversed(), [reports[2], reports[0], reports[4], reports[3], reports[1]]] {
            var row = SampleRow(SeriesRow(.plot("p1"), "m1", "ble:01"), hour: start.hours)
            for (seconds, quantity, value) in order {
                row.add([Reading(quantity, value)], at: start.advanced(bySeconds: seconds))
            }
            #expect(row.samples(of: .temperature).map(\.last) == [3, 2])
            #expect(row.samples(of: .humidity).map(\.last) == [60] && row.samples(of: .rain).map(\.last) == [4])
            texts.insert("\(row.cells)")
        }
        #expect(texts.count == 1, "the row does not depend on the order")
    }

    @Test func `a row has at most 60 samples of a quantity, however often the device reports`() throws {
        let start = try time("2026-05-03T10:00:00Z")
        var row = SampleRow(SeriesRow(.plot("p1"), "m1", "ble:01"), hour: start.hours)
        for second in 0..<3600 {
            let reading = Reading(.temperature, Double(second % 100))
            row.add([reading], at: start.advanced(bySeconds: Double(second)))
        }
        #expect(row.samples(of: .temperature).count == 60)
        #expect(row.samples(of: .temperature).map(\.count).reduce(0, +) == 3600)
    }
}
