import EventSourcing
import Events
import Vocabulary

/// The projection of hours at places that are part of any lot's story.
///
/// There are only as many rows as interruptions, so that retention need not read the lots of all years. An interval is
/// never removed, even if a correction places the lot elsewhere.
enum IntervalViews {
    /// Projects the stays of a lot after it was harvested, split off, moved or handed over.
    static func note(_ lot: LotID, _ tables: some Tables) {
        guard let row = tables.get(LotRow.self, lot.rawValue) else { return }
        end(row.key, tables)
        for stay in LotHistory(of: row, from: tables).stays {
            if let to = stay.to {
                add(stay.place, stay.from.hours, to.hours, tables)
            } else {
                tables.put(OpenIntervalRow(stay.place, since: stay.from.hours, row.key))
            }
        }
    }

    /// Projects when a plot was last sown or planted, by the valid versions of its activities.
    static func noteSowing(_ plot: PlotID, _ tables: some Tables) {
        let place = Place.plot(plot)
        let done = tables.all(ActivityRow.self, prefix: "\(plot)|").map(\.valid)
        let former = end(place.description, tables)
        guard let sown = Season(of: done, at: .latest).sown else { return }
        var row = OpenIntervalRow(place, since: sown.hours, place.description)
        row.isHarvested = former?.key == row.key && former?.isHarvested == true
        tables.put(row)
    }

    static func noteHarvest(of plot: PlotID, at time: Instant, _ tables: some Tables) {
        let name = Place.plot(plot).description
        guard var row = tables.find(OpenIntervalRow.self, where: "which", is: name, limit: 1).first,
            row.since <= time.hours
        else { return }
        row.isHarvested = true
        tables.put(row)
    }

    @discardableResult
    private static func end(_ which: String, _ tables: some Tables) -> OpenIntervalRow? {
        let row = tables.find(OpenIntervalRow.self, where: "which", is: which, limit: 1).first
        if let row { tables.remove(OpenIntervalRow.self, row.key) }
        return row
    }

    private static func add(_ place: Place, _ first: Int64, _ last: Int64, _ tables: some Tables) {
        guard first <= last else { return }
        var hours = first...last
        while let row = StoryIntervalRow.first(place, through: hours.lowerBound - 1, in: tables),
            row.hours.lowerBound <= hours.upperBound + 1
        {
            guard row.hours.lowerBound > hours.lowerBound || row.hours.upperBound < hours.upperBound else { return }
            hours =
                min(row.hours.lowerBound, hours.lowerBound)...max(row.hours.upperBound, hours.upperBound)
            tables.remove(StoryIntervalRow.self, row.key)
        }
        tables.put(StoryIntervalRow(place, hours))
    }
}
