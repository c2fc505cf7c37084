import Events
import JSON
import SQLite
import System
public import Vocabulary

/// Promotions: the rules come with the records, and this device decides. Only the first showing of each to a signed-in
/// person is reported, not where and when it was.
extension FarmClient {
    /// Returns the promotions that apply, the most important first. Those that are held back must not be shown; they
    /// are passed to `noteShown` with the others.
    ///
    /// - Throws: `store`.
    public func promotions(in circumstances: PromotionCircumstances) throws(FarmClientError) -> [ShopPromotion] {
        let published = try records(.promotions).compactMap(Self.published)
        guard !published.isEmpty else { return [] }
        let zones = try zones()
        let opens = Dictionary(uniqueKeysWithValues: try records(.pickups).map { ($0.id, Self.openingTimes($0)) })
        let known = try me()?.person
        let person = if let known { known } else { try deviceName() }
        let rules = PromotionRules(
            catalog: try ShopCatalog(self, at: circumstances.now), circumstances: circumstances, person: person,
            favourites: try favourites(), opens: opens, zone: { zones[$0] ?? .utc }, showings: try showings())
        return rules.applying(published)
    }

    /// Returns the regions of beacons that promotions name, for ``RegionMonitor``.
    public func promotionRegions() throws(FarmClientError) -> Set<String> {
        Set(try records(.promotions).compactMap { Self.published($0)?.rule.beacons })
    }

    /// Notes what a page has shown or held back, as `promotions(in:)` returned it: how often it was shown today, and
    /// once for each signed-in person a report to the farm, which is sent with the next synchronisation.
    ///
    /// - Throws: `misuse` with a thousand pending changes; `store`.
    public func noteShown(_ promotions: [ShopPromotion], at now: Instant) throws(FarmClientError) {
        guard !promotions.isEmpty else { return }
        let zones = try zones()
        var showings = try showings()
        let person = try me()?.person
        var news: [ShopPromotion] = []
        for promotion in promotions {
            if !promotion.isHeldBack { showings.note(promotion.id, at: now, in: zones[promotion.farm] ?? .utc) }
            if let person, showings.report(promotion.id, of: person) { news.append(promotion) }
        }
        for promotion in news {
            try pendingChange(
                .showing, of: promotion.id, id: freshName(), [("heldBack", .bool(promotion.isHeldBack))])
        }
        let stored = text(of: showings)
        try kept { keep throws(SQLiteError) in try keep.put(.showings, stored) }
    }

    private func zones() throws(FarmClientError) -> [String: Zone] {
        var zones: [String: Zone] = [:]
        for farm in try records(.farms) {
            zones[farm.id] = farm.text("zone").flatMap(ZoneFile.read).flatMap(Zone.init(file:))
        }
        return zones
    }

    private func showings() throws(FarmClientError) -> PromotionShowings {
        let stored = try kept { keep throws(SQLiteError) in try keep.fact(.showings) }
        return stored.flatMap { read($0) { json throws(JSONError) in try PromotionShowings(json: json) } }
            ?? PromotionShowings()
    }

    /// A random name of this device, by which promotions are held back from people without an account.
    private func deviceName() throws(FarmClientError) -> String {
        let fresh = freshName()
        return try kept { keep throws(SQLiteError) in
            if let known = try keep.fact(.device) { return known }
            try keep.put(.device, fresh)
            return fresh
        }
    }

    private static func published(_ record: FarmRecord) -> PromotionRules.Published? {
        guard let farm = record.text("farm"),
            let rule = read(text(of: record.body), { json throws(JSONError) in try PromotionRule(json: json) })
        else { return nil }
        return PromotionRules.Published(id: record.id, farm: farm, rule: rule)
    }

    private static func openingTimes(_ record: FarmRecord) -> [OpeningTime] {
        read(text(of: record.body)) { json throws(JSONError) in try json.find("opens", as: [OpeningTime].self) } ?? []
    }
}
