import EventSourcing
import Events
import Vocabulary

/// Removes photographs that are older than the retention period, unless a story shows them.
struct PhotographReview {
    /// The retention period; 0 is unlimited.
    let days: Int
    private var reviewed: Instant?

    init(days: Int) {
        self.days = days
    }

    /// Returns the removals that are due: a limited number each time, so that a tick stays short.
    mutating func next(at now: Instant, _ tables: any Tables) -> [Draft] {
        if let reviewed, abs(now.seconds(since: reviewed)) < LedgerLimits.photographReviewSeconds { return [] }
        reviewed = now
        guard days > 0, let trusted = TrustedTimeRow.time(in: tables) else { return [] }
        let oldest = min(trusted, now).advanced(bySeconds: -Double(days) * 86_400)
        var drafts: [Draft] = []
        for place in tables.all(PlaceRow.self, prefix: "") {
            guard let name = Place(place.key) else { continue }
            for row in PhotographRow.taken(before: oldest, at: name, limit: LedgerLimits.scanned, in: tables)
            where !row.isShown {
                let event = PhotographRemoved(
                    photograph: row.photograph, place: name, reason: "It was older than \(days) days.")
                drafts.append(Draft(event, in: place.key, farm: place.farm, by: .service(TraceLedger.name)))
                guard drafts.count < LedgerLimits.removedPhotographs else {
                    reviewed = nil
                    return drafts
                }
            }
        }
        return drafts
    }
}
