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
    mutating func promotionNotices(_ tables: any Tables) -> [Effect] {
        guard tick.isMultiple(of: GatewayLimits.noticeTicks) else { return [] }
        let notices = tables.scan(PromotionNoticeRow.self, limit: GatewayLimits.noticedPromotions)
            .map { (notice: $0, times: PromotionNoticeTimes(zone: zone(of: $0.farm, tables))) }
            .filter { $0.times.isDue($0.notice.rule, at: time) && stock(tables).has($0.notice.rule) }
            .sorted { ($1.notice.rule.priority, $0.notice.key) < ($0.notice.rule.priority, $1.notice.key) }
        guard !notices.isEmpty else { return [] }
        var people = buyersWithDevices(tables)
        var drafts: [Draft] = []
        for (notice, times) in notices {
            let chosen = people.filter { isDue(notice, for: $0, times, tables) }.prefix(GatewayLimits.noticedPeople)
            guard !chosen.isEmpty else { continue }
            people.removeAll(where: Set(chosen).contains)
            let event = PromotionNotified(promotion: PromotionID(notice.key), people: Array(chosen))
            drafts.append(
                Draft(event, in: "promotion/\(notice.key)", farm: notice.farm, by: .service(Self.name)))
        }
        return drafts.isEmpty ? [] : [.append(drafts)]
    }

    /// Returns what can be bought now. It is read again after the hub has moved on.
    mutating func stock(_ tables: any Tables) -> ShopStock {
        let position = tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position ?? 0
        if let shopStock, shopStock.position == position { return shopStock }
        let stock = ShopStock(tables, at: position)
        shopStock = stock
        return stock
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
