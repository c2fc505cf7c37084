import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// The old reports that must be retained because a lot's story needs them, or may need them later.
///
/// They are the reports of a lot's plot while it grew, of each store while it was there, and of a plot since it was
/// sown. A plot that was already harvested may be harvested again; then a passport goes back a limited time.
struct ReportRetention {
    /// Hours at a place, and all devices that ever measured there, which may be more than did so in these hours.
    private struct Span {
        let place: Place
        let hours: Range<Int64>
        let devices: [String]
    }

    private let tables: any Tables
    private let hours: Range<Int64>
    /// The first hour in the passport of a lot that is harvested now.
    private let shown: Int64

    init(from: Instant, to: Instant, at now: Instant, in tables: any Tables) {
        self.tables = tables
        shown = now.hours - LedgerLimits.stayHours
        // The reports beside the requested time decide what counts in it, and so do those beside them.
        hours = max(from.hours - 2 * PruneProjection.margin, 0)..<to.hours + 1 + 2 * PruneProjection.margin
    }

    func write(to json: inout JSONWriter) {
        guard let spans else { return json.field("all", true) }
        json.field(
            "kept",
            array: { json in
                for span in spans {
                    json.element(object: { json in
                        json.field("place", span.place)
                        json.field("from", Instant(hours: span.hours.lowerBound))
                        json.field("to", Instant(hours: span.hours.upperBound))
                        json.field("devices", span.devices)
                    })
                }
            })
    }

    /// The intervals; nil if there are more than an event has room for.
    private var spans: [Span]? {
        var spans: [Span] = []
        var devices = 0
        var after: String?
        // Place by place: the number of a place's devices does not matter unless some of its hours are retained.
        while let place = tables.scan(BindingRow.self, prefix: "", after: after, limit: 1).first?.place {
            // This sorts after every key that begins with `<place>|`.
            after = "\(place)}"
            let kept = kept(at: place)
            guard !kept.isEmpty else { continue }
            let bound = tables.scan(BindingRow.self, prefix: "\(place)|", limit: LedgerLimits.keptDevices + 1).map(
                \.device)
            spans += kept.map { Span(place: place, hours: $0, devices: bound) }
            devices += bound.count * kept.count
            guard spans.count <= LedgerLimits.keptSpans, devices <= LedgerLimits.keptDevices else { return nil }
        }
        return spans
    }

    /// Returns the hours to be retained at a place, in order and without overlap.
    private func kept(at place: Place) -> [Range<Int64>] {
        var kept: [Range<Int64>] = []
        func keep(_ from: Int64, _ to: Int64) {
            let span = (from - PruneProjection.margin..<to + PruneProjection.margin).clamped(to: hours)
            guard !span.isEmpty else { return }
            if let last = kept.last, span.lowerBound <= last.upperBound {
                kept[kept.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else {
                kept.append(span)
            }
        }
        var next = hours.lowerBound - PruneProjection.margin
        while let row = StoryIntervalRow.first(place, through: next, in: tables),
            row.hours.lowerBound - PruneProjection.margin < hours.upperBound, kept.count <= LedgerLimits.keptSpans
        {
            keep(row.hours.lowerBound, row.hours.upperBound + 1)
            next = row.hours.upperBound + 1
        }
        if let first = tables.scan(OpenIntervalRow.self, prefix: "\(place)|", limit: 1).first {
            let since = first.isHarvested ? max(first.since, shown) : first.since
            // It has no end, so it covers the intervals that begin after it.
            kept.removeAll { $0.lowerBound >= since }
            keep(since, max(since, hours.upperBound))
        }
        return kept
    }
}

extension LedgerQueries {
    func keptReports(_ body: RequestBody) throws(Problem) -> Response {
        let from: Instant = try body.get("from")
        let to: Instant = try body.get("to")
        guard from <= to else { throw Problem(400, "malformed", "to: \(to) is before \(from).") }
        return .made(200, ReportRetention(from: from, to: to, at: now, in: tables).write)
    }
}
