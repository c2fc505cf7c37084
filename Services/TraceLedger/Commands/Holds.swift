import EventSourcing
import Events
import Vocabulary

/// Finds the lots that an activity affects and drafts the events that hold them or lift their holds.
struct Holds {
    let tables: any Tables
    let zones: Zones

    /// Returns the drafts for one activity as it is after its event; `row` need not be in the tables yet.
    func drafts(after row: ActivityRow, by actor: Actor) -> [Draft] {
        let rule = rule(of: row)
        return lots(touchedBy: row).flatMap { lot -> [Draft] in
            guard lot.state.recalled == nil, let change = rule.change(of: lot.state) else { return [] }
            let why = row.valid.reason ?? "what was recorded of the activity was corrected"
            return drafts(change, row.activity, lot, why, actor)
        }
    }

    /// Returns all lots that were split off a lot, and off those.
    func descendants(of lot: LotRow) -> [LotID] {
        var (found, open): ([LotID], [String]) = ([], [lot.key])
        while let parent = open.popLast() {
            let children = tables.find(LotRow.self, where: "parent", is: parent, limit: .max).map(\.key)
            found += children.map { LotID($0) }
            open += children
        }
        return found
    }

    /// Returns the events that change the safety of a lot and of all that was split off it. An event names a limited
    /// number.
    func events(of lot: LotRow, _ make: (LotID, [LotID]) -> any Event) -> [any Event] {
        let all = descendants(of: lot)
        let starts = all.isEmpty ? [0] : Array(stride(from: 0, to: all.count, by: LedgerLimits.recalledLots))
        return starts.map { start in
            make(LotID(lot.key), Array(all[start..<min(start + LedgerLimits.recalledLots, all.count)]))
        }
    }

    private func drafts(
        _ change: HoldRule.Change, _ activity: ActivityID, _ lot: LotRow, _ why: String, _ actor: Actor
    ) -> [Draft] {
        let events = events(of: lot) { lot, includes -> any Event in
            switch change {
            case .hold(let until, let reason):
                LotHeld(lot: lot, includes: includes, activity: activity, until: until, reason: reason)
            case .lift: LotHoldLifted(lot: lot, includes: includes, activity: activity, reason: why)
            }
        }
        return events.map { Draft($0, in: "lot/\(lot.key)", farm: lot.farm, by: actor) }
    }

    private func rule(of row: ActivityRow) -> HoldRule {
        let valid = row.valid
        let farm = tables.get(PlaceRow.self, Place.plot(row.plot).description)?.farm
        return HoldRule(activity: row.activity, valid: valid) { harvested in
            func day(_ time: Instant) -> String { farm.map { zones.day(of: time, at: $0, tables) } ?? time.day }
            let what = valid.details.substance ?? valid.kind.rawValue
            return "\(what) of \(day(valid.happened)) needs \(valid.details.waitingDays ?? 0) days before a harvest; "
                + "this was harvested on \(day(harvested))."
        }
    }

    /// Returns harvested lots of the plot that some version of the activity forbade to harvest. Split lots are changed
    /// with their harvest.
    private func lots(touchedBy row: ActivityRow) -> [LotRow] {
        let versions = [row.record] + row.corrections
        let windows = versions.compactMap { version in version.waitingUntil.map { (version.happened, $0) } }
        guard let from = windows.map(\.0).min(), let to = windows.map(\.1).max() else { return [] }
        return ["0|", "1|"].flatMap { prefix -> [LotRow] in
            var (lots, after): ([LotRow], String?) = ([], prefix + (99_999_998 - to.hours).hourDigits + "|")
            while true {
                let page = tables.scan(ListedLotRow.self, prefix: prefix, after: after, limit: LedgerLimits.scanned)
                for listed in page {
                    guard let lot = tables.get(LotRow.self, listed.lot), let harvested = lot.state.harvestedAt else {
                        continue
                    }
                    if harvested.hours < from.hours { return lots }
                    guard lot.state.parent == nil, lot.state.harvest?.plot == row.plot else { continue }
                    lots.append(lot)
                }
                guard page.count == LedgerLimits.scanned else { return lots }
                after = page.last?.key
            }
        }
    }
}

/// Reviews holds of journals that older versions wrote.
///
/// Every activity with a waiting time is reviewed once after a start, a limited number in each tick. The decisions are
/// written as events, so a rebuild needs no review.
struct HoldReview {
    private var after: String?
    private(set) var isDone = false

    mutating func next(_ holds: Holds, by actor: Actor) -> [Draft] {
        guard !isDone else { return [] }
        let rows = holds.tables.scan(ActivityRow.self, prefix: "", after: after, limit: LedgerLimits.reviewedActivities)
        after = rows.last?.key
        isDone = rows.count < LedgerLimits.reviewedActivities
        return rows.flatMap { holds.drafts(after: $0, by: actor) }
    }
}
