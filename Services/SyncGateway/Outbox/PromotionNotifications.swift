import EventSourcing
import Events
import Host
import JSON
import Vault
import Vocabulary

/// Notifies buyers, on the devices that they chose for it, of promotions that run now.
///
/// A person is notified of a promotion once, and at most once a day of any, of the one with the highest priority first.
/// A promotion whose recipients only devices know, by place, county or interest, causes no notification.
extension SyncGateway {
    mutating func promotionNotifications(_ tables: any Tables) -> [Effect] {
        guard tick.isMultiple(of: GatewayLimits.promotionTicks) else { return [] }
        let running = tables.scan(NotifyingPromotionRow.self, limit: GatewayLimits.notifyingPromotions)
            .map { (row: $0, times: PromotionNotificationTimes(zone: tables.zone(ofFarm: $0.farm.rawValue))) }
            .filter { row, times in
                row.rule.isShown(at: time, in: times.zone, opens: openingTimes(row.rule.beforeClosing, tables))
                    && stock(tables).has(row.rule)
            }
            .sorted { ($1.row.rule.priority, $0.row.key) < ($0.row.rule.priority, $1.row.key) }
        guard !running.isEmpty else { return [] }
        var people = buyersWithDevices(tables)
        var drafts: [Draft] = []
        for (row, times) in running {
            var chosen: [PersonID] = []
            for person in people where chosen.count < GatewayLimits.notifiedPeople {
                if isDue(row, for: person, times, tables), isAwake(person, times) { chosen.append(person) }
            }
            guard !chosen.isEmpty else { continue }
            people.removeAll(where: Set(chosen).contains)
            let event = PromotionNotified(promotion: PromotionID(row.key), people: chosen)
            drafts.append(
                Draft(event, in: "promotion/\(row.key)", farm: row.farm, by: .service(Self.name)))
        }
        return drafts.isEmpty ? [] : [.append(drafts)]
    }

    /// Returns when the pickup place is open before whose closing a promotion is shown.
    private func openingTimes(_ closing: PromotionClosing?, _ tables: any Tables) -> [OpeningTime] {
        guard let closing,
            let place = tables.get(SyncRow.self, SyncRecordWriter.key("pickups", closing.pickup.rawValue))
        else { return [] }
        return place.openingTimes
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

    /// Returns whether it is a time at which the person is notified; no if the account cannot be read now.
    private func isAwake(_ person: PersonID, _ times: PromotionNotificationTimes) -> Bool {
        do throws(VaultError) {
            return times.isWithin(try accounts.account(of: person)?.notificationHours, at: time)
        } catch {
            return false
        }
    }

    private func isDue(
        _ row: NotifyingPromotionRow, for person: PersonID, _ times: PromotionNotificationTimes, _ tables: any Tables
    ) -> Bool {
        let promotion = PromotionID(row.key)
        if let before = tables.get(PersonNotificationsRow.self, person.rawValue) {
            guard !before.promotions.contains(promotion), !times.isSameDay(before.last, time) else { return false }
        }
        guard PromotionShare.of(person.rawValue, promotion) >= row.rule.heldBackPercent else { return false }
        guard row.rule.audience == .favourites else { return true }
        let whose = SyncViews.whose(person)
        let names = ["farm.\(row.farm)"] + (row.rule.product.map { ["product.\($0)"] } ?? [])
        return names.contains { name in
            tables.get(SyncRow.self, SyncRecordWriter.key("favourites", name, of: whose)).map { !$0.isGone } ?? false
        }
    }
}

extension SyncRow {
    /// The opening times of a pickup place.
    fileprivate var openingTimes: [OpeningTime] {
        do throws(JSONError) {
            return try JSONValue.parse(body).find("opens", as: [OpeningTime].self) ?? []
        } catch {
            return []
        }
    }
}
