import EventSourcing
import Vocabulary

/// Removes every row that depends on a pruned report.
///
/// A rebuild, which no longer reads those reports, then gives the same rows: those of hours of which all reports were
/// retained. The event alone decides what is removed, never the current state of lots.
struct PruneProjection {
    /// The hours in which something was pruned, and those beside them. Two slots' clocks differ by no more, so a
    /// retained report may not have counted there because of a pruned one.
    private let hours: ClosedRange<Int64>
    private let last: Instant
    private let kept: [Place: [Range<Int64>]]

    /// The number of hours on each side of an hour whose reports decide what counts in it.
    static let margin: Int64 = 1

    /// Returns nil if nothing was pruned.
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
        removeSamples(tables)
        removeLatest(tables)
        removeHeard(tables)
    }

    /// Returns whether all reports of this hour and of those beside it were retained.
    private func isWhole(_ hour: Int64, at place: Place?) -> Bool {
        // Reports before 1970 count in the first hour.
        guard hour > 0, let spans = place.flatMap({ kept[$0] }) else { return false }
        return spans.contains { $0.lowerBound <= hour - Self.margin && hour + Self.margin < $0.upperBound }
    }

    func removeHours(_ tables: some Tables) { remove(HourRow.self, tables) }

    func removeSamples(_ tables: some Tables) { remove(SampleRow.self, tables) }

    /// Reads only these hours of each series, because series are few and hours are many.
    private func remove<Row: HourlyRow>(_ type: Row.Type, _ tables: some Tables) {
        var after: String?
        while let first = tables.scan(type, prefix: "", after: after, limit: 1).first {
            let prefix = String(first.key.dropLast(8))
            remove(type, of: prefix, tables)
            after = prefix + Int64(99_999_999).hourDigits
        }
    }

    private func remove<Row: HourlyRow>(_ type: Row.Type, of prefix: String, _ tables: some Tables) {
        let place = Place(String(prefix.prefix { $0 != "|" }))
        var after = (hours.lowerBound - 1).hourDigits
        // There is no hour before the first.
        if hours.lowerBound == 0 { after = "" }
        while true {
            let page = tables.scan(type, prefix: prefix, after: prefix + after, limit: LedgerLimits.scanned)
            for row in page where row.hour <= hours.upperBound && !isWhole(row.hour, at: place) {
                tables.remove(type, row.key)
            }
            guard page.count == LedgerLimits.scanned, let end = page.last?.hour, end < hours.upperBound else { return }
            after = end.hourDigits
        }
    }

    /// Also removes values of a retained time: such a value may be the newest only because a newer one was pruned.
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
    /// Removes windows so old that no slot delivers reports for them, by the ledger's clock.
    ///
    /// By the time of the newest report, the result would depend on which reports are retained.
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
