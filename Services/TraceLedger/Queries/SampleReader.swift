import EventSourcing
import Vocabulary

/// Reads the samples of a period, and nothing else.
struct SampleReader {
    let tables: any Tables

    /// Returns the first hour of a series from the one before `start` on, whose last value may still count at `start`.
    func firstHour(of series: SeriesRow, from start: Instant) -> Int64? {
        let prefix = "\(series.key)|"
        let after = prefix + (start.hours - 2).hourDigits
        return tables.scan(SampleRow.self, prefix: prefix, after: after, limit: 1).first?.hour
    }

    /// Returns the hours of a period, and the hour before it, in order.
    func rows(of series: SeriesRow, in period: Range<Instant>) -> [SampleRow] {
        let prefix = "\(series.key)|"
        let last = Instant(microseconds: period.upperBound.microseconds - 1).hours
        var next = period.lowerBound.hours - 1
        var rows: [SampleRow] = []
        while next <= last {
            let limit = min(LedgerLimits.scanned, Int(last - next) + 1)
            let page = tables.scan(
                SampleRow.self, prefix: prefix, after: prefix + (next - 1).hourDigits, limit: limit)
            rows += page.filter { $0.hour <= last }
            guard page.count == limit, let end = page.last?.hour else { break }
            next = end + 1
        }
        return rows
    }

    /// Returns the whole buckets of one page: at most `buckets`, at least one, and of so many hours that those of all
    /// series together stay within `LedgerLimits.readingHours`.
    func page(
        from start: Instant, in range: Range<Instant>, _ resolution: Resolution, _ zone: Zone, series: Int,
        buckets: Int64
    ) -> Range<Instant> {
        let hours = LedgerLimits.readingHours / Int64(max(series, 1)) * 3600
        let seconds = min(hours, buckets * resolution.seconds)
        let last = resolution.bucket(of: start.advanced(bySeconds: Double(seconds)), in: zone)
        let end = last.lowerBound > start ? last.lowerBound : last.upperBound
        return start..<min(end, range.upperBound)
    }
}

extension Zones {
    /// Returns the time zone of the farm that a place belongs to, and its name; UTC if it is not known.
    func zone(of place: Place?, _ tables: any Tables) -> (zone: Zone, name: String) {
        let farm = place.flatMap { tables.get(PlaceRow.self, $0.description)?.farm }
        guard let name = farm.flatMap({ tables.get(FarmRow.self, $0.rawValue)?.zone }), let zone = zone(name) else {
            return (.utc, "UTC")
        }
        return (zone, name)
    }

    /// Returns the name of the time zone of an inventory: that of its place, or of the only farm; nil if there are
    /// several farms.
    func zoneName(ofInventory inventory: String, _ tables: any Tables) -> String? {
        if let place = tables.get(InventoryRow.self, inventory)?.place { return zone(of: place, tables).name }
        let farms = tables.scan(FarmRow.self, prefix: "", after: nil, limit: 2)
        return farms.count == 1 ? farms[0].zone : nil
    }
}

extension Instant {
    /// Returns the local time to the minute: `2026-05-03 07:30`.
    func local(in zone: Zone) -> String {
        let shifted = Instant(microseconds: microseconds + zone.ahead(at: self) * 1_000_000)
        return String(shifted.description.prefix(16)).replacing("T", with: " ")
    }
}
