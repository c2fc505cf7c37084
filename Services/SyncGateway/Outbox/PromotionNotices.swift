import EventSourcing
import Events
import Host
import System
import Vocabulary

/// Notifies buyers, on the devices that they chose for it, of promotions that run now.
///
/// A person is notified of a promotion once, and at most once a day of any, of the one with the highest priority first.
/// Promotions of which only devices know whom they are for notify nobody.
extension SyncGateway {
    func promotionNotices(_ tables: any Tables) -> [Effect] {
        guard tick.isMultiple(of: GatewayLimits.noticeTicks) else { return [] }
        let notices = tables.scan(PromotionNoticeRow.self, limit: GatewayLimits.noticedPromotions)
        guard !notices.isEmpty else { return [] }
        var people = buyersWithDevices(tables)
        var drafts: [Draft] = []
        for notice in notices.sorted(by: { ($1.rule.priority, $0.key) < ($0.rule.priority, $1.key) }) {
            let times = PromotionNoticeTimes(zone: zone(of: notice.farm, tables))
            guard times.isDue(notice.rule, at: time), isOnSale(notice.rule, tables) else { continue }
            let chosen = people.filter { isDue(notice, for: $0, times, tables) }.prefix(GatewayLimits.noticedPeople)
            guard !chosen.isEmpty else { continue }
            people.removeAll(where: chosen.contains)
            let event = PromotionNotified(promotion: PromotionID(notice.key), people: Array(chosen))
            drafts.append(
                Draft(event, in: "promotion/\(notice.key)", farm: notice.farm, by: .service(Self.name)))
        }
        return drafts.isEmpty ? [] : [.append(drafts)]
    }

    /// Returns whether the product, or one of the category, can be bought now: of the rule's lot if it names one.
    func isOnSale(_ rule: PromotionRule, _ tables: any Tables) -> Bool {
        let offers = tables.scan(
            SyncRow.self, prefix: SyncRecordWriter.key("offers", ""), limit: GatewayLimits.noticedOffers)
        return offers.contains { offer in
            guard !offer.isGone, let product = offer.text("product"), let lot = offer.text("lot"),
                rule.lot.map({ $0.rawValue == lot }) ?? true,
                tables.get(SyncLotRow.self, lot).map({ $0.free > 0 }) ?? false
            else { return false }
            guard let category = rule.category else { return product == rule.product?.rawValue }
            return tables.get(SyncRow.self, SyncRecordWriter.key("products", product))?.text("category") == category
        }
    }

    private func buyersWithDevices(_ tables: any Tables) -> [PersonID] {
        var people: Set<PersonID> = []
        var after: String?
        while true {
            let page = tables.scan(ChannelRow.self, prefix: "", after: after, limit: GatewayLimits.accounts)
            for row in page where row.kind == .push && row.state == .active {
                if tables.get(StaffRow.self, row.person.rawValue)?.role == .buyer { people.insert(row.person) }
            }
            guard let last = page.last else { return people.sorted() }
            after = last.key
        }
    }

    private func isDue(
        _ notice: PromotionNoticeRow, for person: PersonID, _ times: PromotionNoticeTimes, _ tables: any Tables
    ) -> Bool {
        let promotion = PromotionID(notice.key)
        if let before = tables.get(PersonNoticesRow.self, person.rawValue) {
            guard !before.promotions.contains(promotion), !times.isSameDay(before.last, time) else { return false }
        }
        guard PromotionShare.of(person, promotion) >= notice.rule.heldBackPercent else { return false }
        guard notice.rule.audience == .favourites else { return true }
        let whose = SyncViews.whose(person)
        let names = ["farm.\(notice.farm)"] + (notice.rule.product.map { ["product.\($0)"] } ?? [])
        return names.contains { name in
            tables.get(SyncRow.self, SyncRecordWriter.key("favourites", name, of: whose)).map { !$0.isGone } ?? false
        }
    }

    private func zone(of farm: FarmID, _ tables: any Tables) -> Zone {
        tables.get(SyncRow.self, SyncRecordWriter.key("zones", farm.rawValue, of: SyncViews.hidden))?.text("zone")
            .flatMap(ZoneFile.read).flatMap(Zone.init(file:)) ?? .utc
    }
}
