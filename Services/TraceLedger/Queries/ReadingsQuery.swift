import EventSourcing
import JSON
import Vocabulary
import Wire

/// The query `readings`: one quantity of a measuring point, a device or a place, summarised in buckets.
///
/// A page reads only the hours that it covers, and its `next` is the start of the first bucket of the next one. It can
/// be empty although a later one is not.
struct ReadingsQuery {
    private let series: [SeriesRow]
    private let quantity: Quantity
    private let resolution: Resolution
    /// Whether the caller named no resolution, and may know only the members that hourly values once had.
    private let isPlain: Bool
    private let isCSV: Bool
    private let isFirst: Bool
    /// The requested time from the start of the first bucket to the end of the last one.
    private let range: Range<Instant>
    private let zone: Zone
    private let zoneName: String
    private let tables: any Tables
    private let now: Instant

    /// Reads the parameters. Throws a `Problem` if one is malformed or missing.
    ///
    /// `place`, `point` and `device` select series that have all that are given. `from` and `to` are in the first and
    /// in the last bucket; by default the last two weeks. `after` is the `next` of the page before.
    init(_ body: RequestBody, in tables: any Tables, _ zones: Zones, now: Instant) throws(Problem) {
        series = try Self.series(body, in: tables)
        quantity = try body.get("quantity")
        let name = try body.optionalText("resolution")
        guard let resolution = Resolution(rawValue: name ?? Resolution.hour.rawValue) else {
            let all = Resolution.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(400, "malformed", "resolution: use one of \(all).")
        }
        self.resolution = resolution
        isPlain = name == nil
        isCSV = try body.optionalText("format") == "csv"
        self.tables = tables
        self.now = now
        (zone, zoneName) = zones.zone(of: series.first?.place, tables)
        let after: Instant? = try body.find("after")
        isFirst = after == nil
        let to: Instant = min(try body.find("to") ?? now, now)
        let from: Instant = try body.find("from") ?? to.advanced(bySeconds: -14 * 86_400)
        // Nothing was measured in the first hours of 1970, and an hour before the first bucket is read, too.
        let first = max(from, after ?? from, Instant(hours: 48))
        let start = resolution.bucket(of: first, in: zone).lowerBound
        let end = to < first ? start : resolution.bucket(of: to, in: zone).upperBound
        range = start..<max(start, end)
    }

    private static func series(_ body: RequestBody, in tables: any Tables) throws(Problem) -> [SeriesRow] {
        let place: Place? = try body.find("place")
        let point = try body.has("point") ? body.name("point") : nil
        let device = try body.optionalText("device")
        let limit = LedgerLimits.readingSeries
        let found: [SeriesRow]
        if let place {
            found = tables.scan(SeriesRow.self, prefix: "\(place)|", limit: limit)
        } else if let point {
            found = tables.find(SeriesRow.self, where: "point", is: point, limit: limit)
        } else if let device {
            found = tables.find(SeriesRow.self, where: "device", is: device, limit: limit)
        } else {
            throw Problem(422, "nothing-named", "Name a place, a point or a device.")
        }
        return found.filter { row in
            (point.map { $0 == row.point.rawValue } ?? true) && (device.map { $0 == row.device.rawValue } ?? true)
        }
    }

    func response() -> Response {
        var limits: [MeasuredAt: ReadingLimits] = [:]
        for row in series {
            let measured = MeasuredAt(place: row.place, point: row.point)
            if limits[measured] == nil { limits[measured] = self.limits(measured) }
        }
        // Points of one place may have limits of their own.
        let only = Set(limits.values).count == 1 ? limits.values.first : nil
        guard let period = firstPeriod else { return response([], next: nil, only, limits) }
        var buckets = ReadingBuckets(resolution, in: zone, period: period, now: now)
        for (measured, rows) in Dictionary(grouping: series, by: { MeasuredAt(place: $0.place, point: $0.point) }) {
            var samples = rows.flatMap { reader.rows(of: $0, in: period).flatMap { $0.samples(of: quantity) } }
            // A point whose device was replaced has several series.
            if rows.count > 1 { samples.sort { $0.at < $1.at } }
            buckets.add(samples, limits: limits[measured] ?? ReadingLimits())
        }
        let next = period.upperBound < range.upperBound ? period.upperBound : nil
        return response(buckets.sorted, next: next, only, limits)
    }

    /// The whole buckets that this page covers; nil if nothing was measured in the range.
    private var firstPeriod: Range<Instant>? {
        let first = series.compactMap { reader.firstHour(of: $0, from: range.lowerBound) }.min()
        guard let first, !range.isEmpty else { return nil }
        let start = max(range.lowerBound, resolution.bucket(of: Instant(hours: first), in: zone).lowerBound)
        guard start < range.upperBound else { return nil }
        return reader.page(
            from: start, in: range, resolution, zone, series: series.count, buckets: LedgerLimits.readingBuckets)
    }

    private var reader: SampleReader { SampleReader(tables: tables) }

    /// Returns the limits of a point: its own, and those of the goods in its place; else all limits of the place.
    private func limits(_ measured: MeasuredAt) -> ReadingLimits {
        guard let place = measured.place else { return ReadingLimits() }
        let own = rows(where: "point", is: measured.point.rawValue)
        let shared = rows(where: "place", is: place.description).filter { $0.point == nil }
        return (own + shared.filter { own.isEmpty || $0.isOfGoods }).reduce(into: ReadingLimits()) {
            $0.add(above: $1.above, below: $1.below)
        }
    }

    private func rows(where column: String, is text: String) -> [LimitRow] {
        tables.find(LimitRow.self, where: column, is: text, limit: LedgerLimits.placeRules)
            .filter { $0.quantity == quantity }
    }

    /// Where values were measured.
    private struct MeasuredAt: Hashable {
        let place: Place?
        let point: PointID
    }
}

// The response.
extension ReadingsQuery {
    private func response(
        _ buckets: [ReadingBucket], next: Instant?, _ only: ReadingLimits?, _ limits: [MeasuredAt: ReadingLimits]
    ) -> Response {
        let hasAbove = limits.values.contains { $0.above != nil }
        let hasBelow = limits.values.contains { $0.below != nil }
        return .made { json in
            if isCSV {
                json.field("csv", csv(buckets, hasAbove, hasBelow))
            } else {
                json.field("quantity", quantity)
                json.field("unit", quantity.unit)
                json.field("resolution", resolution.rawValue)
                json.field("zone", zoneName)
                json.field("above", ifPresent: only?.above)
                json.field("below", ifPresent: only?.below)
                json.field(
                    "items",
                    array: { json in
                        for bucket in buckets { json.object { write(bucket, hasAbove, hasBelow, to: &$0) } }
                    })
            }
            json.field("next", ifPresent: next)
        }
    }

    private func write(_ bucket: ReadingBucket, _ hasAbove: Bool, _ hasBelow: Bool, to json: inout JSONWriter) {
        json.field("at", bucket.start)
        json.field("n", bucket.count)
        if isPlain {
            json.field("hour", bucket.start)
            json.field("count", bucket.count)
        }
        if bucket.count > 0 {
            json.field("min", rounded(bucket.lowest))
            json.field("mean", rounded(bucket.mean))
            json.field("max", rounded(bucket.highest))
            json.field("last", rounded(bucket.last))
        }
        json.field("unitHoursAbove", ifPresent: hasAbove ? rounded(bucket.unitHoursAbove) : nil)
        json.field("unitHoursBelow", ifPresent: hasBelow ? rounded(bucket.unitHoursBelow) : nil)
    }

    private func csv(_ buckets: [ReadingBucket], _ hasAbove: Bool, _ hasBelow: Bool) -> String {
        let unit = quantity.unit
        var csv = CSV()
        if isFirst {
            csv.add(
                ["at (UTC)", "local time (\(zoneName))", "n"]
                    + ["min", "mean", "max", "last"].map { "\(quantity.rawValue) \($0) (\(unit))" }
                    + ["above the limit (\(unit) h)", "below the limit (\(unit) h)"])
        }
        for bucket in buckets {
            let values = [bucket.lowest, bucket.mean, bucket.highest, bucket.last]
            csv.add(
                [bucket.start.description, bucket.start.local(in: zone), String(bucket.count)]
                    + values.map { bucket.count > 0 ? String(rounded($0)) : "" }
                    + [
                        hasAbove ? String(rounded(bucket.unitHoursAbove)) : "",
                        hasBelow ? String(rounded(bucket.unitHoursBelow)) : "",
                    ])
        }
        return csv.text
    }
}

/// Returns the value with four decimals, which is finer than the resolution of any sensor.
func rounded(_ value: Double) -> Double {
    (value * 10_000).rounded() / 10_000
}
