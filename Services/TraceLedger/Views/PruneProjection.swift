import EventSourcing
import Vocabulary

/// What goes with reports that were let go: every row that rests on one of them.
///
/// A rebuild, which does not read them any more, then has the same rows: those of whole hours of which all stayed. What
/// goes is told by the event alone, never by how lots stand now.
struct PruneProjection {
    /// Hours of which something was let go, and those beside them: two slots' clocks are not further apart, so a report
    /// that stayed may not have counted there because of one that is gone.
    private let hours: ClosedRange<Int64>
    private let last: Instant
    private let kept: [Place: [Range<Int64>]]

    /// Hours on each side of an hour whose reports decide what counts in it.
    static let margin: Int64 = 1

    /// Nil where nothing was let go.
    init?(_ event: JournalPruned) {
        guard let from = event.from, let to = event.to, from <= to else { return nil }
        hours = max(from.hours - Self.margin, 0)...to.hours + Self.margin
        last = to
        kept = Dictionary(grouping: event.kept.filter { $0.from < $0.to }, by: \.place).mapValues { spans in
            spans.map { $0.from.hours..<max($0.to.hours, $0.from.hours) }
        }
    }

    func apply(to tables: some Tables) {
        removeHours(tables)
        removeLatest(tables)
        removeHeard(tables)
    }

    /// Whether all that was told of this hour and of those beside it is still there.
    private func isWhole(_ hour: Int64, at place: Place?) -> Bool {
        // What happened before 1970 stands in the first hour.
        guard hour > 0, let spans = place.flatMap({ kept[$0] }) else { return false }
        return spans.contains { $0.lowerBound <= hour - Self.margin && hour + Self.margin < $0.upperBound }
    }

    /// Looks at what each place has of these hours, and at no other hour: places are few, hours are not.
    func removeHours(_ tables: some Tables) {
        var after: String?
        while let first = tables.scan(HourRow.self, prefix: "", after: after, limit: 1).first {
            let prefix = String(first.key.dropLast(8))
            removeHours(of: prefix, tables)
            after = prefix + Int64(99_999_999).hourDigits
        }
    }

    private func removeHours(of prefix: String, _ tables: some Tables) {
        let place = Place(String(prefix.prefix { $0 != "|" }))
        var after = (hours.lowerBound - 1).hourDigits
        // Of the first hour there is none before.
        if hours.lowerBound == 0 { after = "" }
        while true {
            let page = tables.scan(HourRow.self, prefix: prefix, after: prefix + after, limit: LedgerLimits.scanned)
            for row in page where row.hour <= hours.upperBound && !isWhole(row.hour, at: place) {
                tables.remove(HourRow.self, row.key)
            }
            guard page.count == LedgerLimits.scanned, let end = page.last?.hour, end < hours.upperBound else { return }
            after = end.hourDigits
        }
    }

    /// Also of a kept time: it may have been the newest only because what was newer is gone.
    func removeLatest(_ tables: some Tables) {
        var after: String?
        while true {
            let page = tables.scan(LatestRow.self, prefix: "", after: after, limit: LedgerLimits.scanned)
            for row in page where row.at <= last { tables.remove(LatestRow.self, row.key) }
            guard page.count == LedgerLimits.scanned else { return }
            after = page.last?.key
        }
    }

    func removeHeard(_ tables: some Tables) {
        ReportDedupRow.remove(from: hours.lowerBound, through: hours.upperBound, tables)
    }
}

extension ReportDedupRow {
    /// Forgets what was told so long ago that no slot tells it any more, by the ledger's clock: were it by the newest
    /// report, it would depend on which are still there.
    static func forgetOld(at now: Instant, _ tables: some Tables) {
        let last = now.hours - LedgerLimits.heardHours
        if last >= 0 { remove(from: 0, through: last, tables) }
    }

    fileprivate static func remove(from first: Int64, through last: Int64, _ tables: some Tables) {
        var after = first.hourDigits
        while true {
            let page = tables.scan(ReportDedupRow.self, prefix: "", after: after, limit: LedgerLimits.scanned)
            for row in page where row.hour <= last { tables.remove(ReportDedupRow.self, row.key) }
            guard page.count == LedgerLimits.scanned, let end = page.last, end.hour <= last else { return }
            after = end.key
        }
    }
}
