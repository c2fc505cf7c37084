import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// Which reports of an old time must stay because the story of a lot rests on them, or may do so one day: what was
/// measured on its plot while it grew and in each store while it lay there, and on a plot that was sown.
///
/// A plot that was harvested already may be harvested again; a passport then looks back so far and no further.
struct ReportRetention {
    /// Hours of a place, and all devices that ever measured there: rather more than measured there then, than fewer.
    private struct Span {
        let place: Place
        let hours: Range<Int64>
        let devices: [String]
    }

    private let tables: any Tables
    private let hours: Range<Int64>
    /// How far back the passport of a lot that is harvested now looks.
    private let shown: Int64

    init(from: Instant, to: Instant, at now: Instant, in tables: any Tables) {
        self.tables = tables
        shown = now.hours - LedgerLimits.stayHours
        // What is beside the time that is asked for decides what counts in it, and so does what is beside that.
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

    /// Nil where there are more than an event has room for.
    private var spans: [Span]? {
        var spans: [Span] = []
        var devices = 0
        var after: String?
        // From place to place: how many devices one has does not matter until something of it is kept.
        while let place = tables.scan(BindingRow.self, prefix: "", after: after, limit: 1).first?.place {
            // This comes after `<place>|` and whatever follows it.
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

    /// What of the time is kept at a place, in order and apart.
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
            // It has no end, so it covers whatever of it was kept before.
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
