import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The query `growth`: the table of growth environmental information of a plot, or of a lot while it grew, with the
/// fields SAF01 to SAF07 of Sun, Zhang, Sun and Li, "Agricultural Traceable and Marketing System Based on iOS-Platform
/// and Wireless Sensor Network", 2017, Table 2.
///
/// Its climate is what sensors measured, as the mean of each bucket. Fertiliser and pesticide are the activities that
/// were recorded on the plot, as they are valid now, each in a record of its own with the climate of its bucket. So
/// nothing is entered twice.
struct GrowthQuery {
    /// One line of the table.
    fileprivate struct Record {
        /// SAF07.
        let time: Instant
        /// SAF02, SAF03 and SAF04; nil if it was not measured.
        let climate: [Double?]
        /// The activity of SAF05 or SAF06; nil in a record of the climate alone.
        var activity: ActivityRow?
    }

    /// Where a page begins: a time, and the serial number of its first record.
    private struct Cursor {
        let time: Instant
        let serial: Int

        var text: String { "\(serial)@\(time)" }

        init(time: Instant, serial: Int) { (self.time, self.serial) = (time, serial) }

        init?(_ text: String) {
            let halves = text.split(separator: "@")
            guard halves.count == 2, let serial = Int(halves[0]), serial > 0, let time = Instant(String(halves[1]))
            else { return nil }
            self.init(time: time, serial: serial)
        }
    }

    /// The length of the table if no beginning is known.
    private static let usualSeconds = 28.0 * 86_400

    private static let measured: [Quantity] = [.temperature, .humidity, .illuminance]

    private let plot: PlotID
    private let resolution: Resolution
    private let isCSV: Bool
    private let first: Cursor
    /// Whole buckets, from the beginning of this page on.
    private let range: Range<Instant>
    /// The requested time, outside of which no activity is listed.
    private let wanted: ClosedRange<Instant>
    private let zone: Zone
    private let zoneName: String
    private let tables: any Tables

    /// Reads the parameters. Throws a `Problem` if one is malformed, or the lot is unknown.
    ///
    /// The table of a lot is limited to its time on the plot, from the sowing to the harvest. Without a recorded
    /// sowing, and of a plot unless `from` is given, it has four weeks.
    init(_ body: RequestBody, in tables: any Tables, _ zones: Zones, now: Instant) throws(Problem) {
        var (from, to): (Instant?, Instant?) = (try body.find("from"), try body.find("to"))
        if body.has("lot") {
            let lot = try body.name("lot")
            guard let row = tables.get(LotRow.self, lot),
                let stay = LotHistory(of: row, from: tables).stays.first, case .plot(let plot) = stay.place
            else { throw Problem(404, "unknown-lot", "There is no lot \(lot).") }
            self.plot = plot
            let harvested = stay.to ?? now
            let sown = stay.from < harvested ? stay.from : harvested.advanced(bySeconds: -Self.usualSeconds)
            from = max(from ?? sown, sown)
            to = min(to ?? harvested, harvested)
        } else {
            guard body.has("plot") else { throw Problem(422, "nothing-named", "Name a plot or a lot.") }
            plot = PlotID(try body.name("plot"))
        }
        let name = try body.optionalText("resolution") ?? Resolution.hour.rawValue
        guard let resolution = Resolution(rawValue: name), resolution.seconds >= 3600 else {
            throw Problem(400, "malformed", "resolution: use 1h or 1d.")
        }
        self.resolution = resolution
        self.tables = tables
        isCSV = try body.optionalText("format") == "csv"
        (zone, zoneName) = zones.zone(of: .plot(plot), tables)
        let end = min(to ?? now, now)
        let begin = max(from ?? end.advanced(bySeconds: -Self.usualSeconds), Instant(hours: 48))
        wanted = min(begin, end)...end
        let after = try body.optionalText("after")
        let cursor = after.flatMap(Cursor.init)
        guard after == nil || cursor != nil else {
            throw Problem(422, "no-such-page", "Send the `next` of the page before as `after`.")
        }
        first = cursor ?? Cursor(time: begin, serial: 1)
        let start = resolution.bucket(of: max(first.time, begin), in: zone).lowerBound
        let last = end < begin ? start : resolution.bucket(of: end, in: zone).upperBound
        range = start..<max(start, last)
    }

    func response() -> Response {
        let activities = tables.all(ActivityRow.self, prefix: "\(plot)|").filter { row in
            [.fertilising, .plantProtection].contains(row.valid.kind) && wanted.contains(row.valid.happened)
        }
        guard let period = period(activities) else { return response([], next: nil) }
        let climate = climate(of: period)
        var records = climate.map { Record(time: $0, climate: $1) }
        for row in activities where period.contains(row.valid.happened) {
            let bucket = resolution.bucket(of: row.valid.happened, in: zone).lowerBound
            records.append(
                Record(
                    time: row.valid.happened, climate: climate[bucket] ?? Self.measured.map { _ in nil }, activity: row)
            )
        }
        records.sort { ($0.time, $0.activity?.key ?? "") < ($1.time, $1.activity?.key ?? "") }
        let next =
            period.upperBound < range.upperBound
            ? Cursor(time: period.upperBound, serial: first.serial + records.count) : nil
        return response(records, next: next)
    }

    private var series: [SeriesRow] {
        tables.scan(SeriesRow.self, prefix: "\(Place.plot(plot))|", limit: LedgerLimits.readingSeries)
    }

    /// The whole buckets of this page, from the first record on; nil if there is none.
    private func period(_ activities: [ActivityRow]) -> Range<Instant>? {
        let reader = SampleReader(tables: tables)
        let hours = series.compactMap { reader.firstHour(of: $0, from: range.lowerBound) }
        let times = activities.map(\.valid.happened).filter(range.contains) + hours.map { Instant(hours: $0) }
        guard let first = times.min(), !range.isEmpty else { return nil }
        let start = max(range.lowerBound, resolution.bucket(of: first, in: zone).lowerBound)
        guard start < range.upperBound else { return nil }
        return reader.page(
            from: start, in: range, resolution, zone, series: series.count, buckets: LedgerLimits.growthRecords)
    }

    /// Returns the means of each bucket, over all points of the plot.
    private func climate(of period: Range<Instant>) -> [Instant: [Double?]] {
        let reader = SampleReader(tables: tables)
        let rows = series.map { reader.rows(of: $0, in: period) }
        var means: [Instant: [Double?]] = [:]
        for (index, quantity) in Self.measured.enumerated() {
            var buckets = ReadingBuckets(resolution, in: zone, period: period, now: period.upperBound)
            for hours in rows { buckets.add(hours.flatMap { $0.samples(of: quantity) }, limits: ReadingLimits()) }
            for bucket in buckets.sorted {
                means[bucket.start, default: Self.measured.map { _ in nil }][index] = rounded(bucket.mean)
            }
        }
        return means
    }
}

// The response.
extension GrowthQuery {
    private func response(_ records: [Record], next: Cursor?) -> Response {
        .made { json in
            if isCSV {
                json.field("csv", csv(records))
            } else {
                json.field("plot", plot)
                json.field("zone", zoneName)
                json.field("resolution", resolution.rawValue)
                json.field(
                    "items",
                    array: { json in
                        for (index, record) in records.enumerated() {
                            json.object { write(record, serial: first.serial + index, to: &$0) }
                        }
                    })
            }
            json.field("next", ifPresent: next?.text)
        }
    }

    private func write(_ record: Record, serial: Int, to json: inout JSONWriter) {
        json.field("SAF01", serial)
        json.field("SAF02", ifPresent: record.climate[0])
        json.field("SAF03", ifPresent: record.climate[1])
        json.field("SAF04", ifPresent: record.climate[2])
        json.field("SAF05", ifPresent: record.text(of: .fertilising))
        json.field("SAF06", ifPresent: record.text(of: .plantProtection))
        json.field("SAF07", record.time)
        guard let activity = record.activity else { return }
        json.field("activity", activity.activity)
        json.field("corrections", activity.changes)
    }

    private func csv(_ records: [Record]) -> String {
        var csv = CSV()
        if first.serial == 1 {
            csv.add([
                "SAF01 serial number", "SAF02 temperature (Cel)", "SAF03 humidity (%RH)", "SAF04 light intensity (lx)",
                "SAF05 fertilizer", "SAF06 pesticide", "SAF07 record time (UTC)", "local time (\(zoneName))",
                "corrections",
            ])
        }
        for (index, record) in records.enumerated() {
            var cells = [String(first.serial + index)]
            for value in record.climate { cells.append(value.map { String($0) } ?? "") }
            for kind in [ActivityKind.fertilising, .plantProtection] {
                cells.append(CSV.entered(record.text(of: kind) ?? ""))
            }
            cells += [record.time.description, record.time.local(in: zone)]
            cells.append(CSV.entered(record.activity?.changes.joined(separator: "; ") ?? ""))
            csv.add(cells)
        }
        return csv.text
    }
}

extension GrowthQuery.Record {
    /// Returns what was applied, if it is an activity of this kind: `Compost, 30 kg`.
    fileprivate func text(of kind: ActivityKind) -> String? {
        guard let valid = activity?.valid, valid.kind == kind else { return nil }
        return valid.details.text
    }
}

extension ActivityRow {
    /// What each correction replaced, and why: `Compost, 300 kg: One nought too many`.
    fileprivate var changes: [String] {
        zip([record] + corrections, corrections).map { "\($0.details.text): \($1.reason ?? "")" }
    }
}

extension ActivityDetails {
    fileprivate var text: String {
        let amount = amount.map { $0 == $0.rounded() && abs($0) < 1e9 ? String(Int64($0)) : String($0) }
        let much = [amount, unit].compactMap(\.self).joined(separator: " ")
        let parts = [substance ?? "", much].filter { !$0.isEmpty }
        return parts.isEmpty ? "not specified" : parts.joined(separator: ", ")
    }
}
