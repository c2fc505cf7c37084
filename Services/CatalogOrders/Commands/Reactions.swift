import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// What the hub's news and the clock mean for the market.
struct Reactions {
    let tables: any Tables
    let now: Instant
    private let actor = Actor.service(CatalogOrders.name)

    init(tables: any Tables, now: Instant) {
        self.tables = tables
        self.now = now
    }

    // MARK: Recalls

    /// Lots that are recalled, and the event that says so.
    struct Recall {
        let lots: [LotID]
        let reason: String
        let cause: UUID

        init(_ event: LotRecalled, by cause: UUID) {
            lots = [event.lot] + event.includes
            reason = event.reason
            self.cause = cause
        }
    }

    /// Nothing of a recalled lot is sold any more; carts lose it, and orders that wait for it. Whoever ordered it is to
    /// be told, most of all who has taken it home.
    ///
    /// - Parameter recalls: all that were heard at once. They are decided from the tables as they stood before any of
    ///   them, so a cart or an order loses the lots of all of them in one go.
    func recalled(_ recalls: [Recall]) -> [Effect] {
        let lots = Set(recalls.flatMap(\.lots))
        var (known, carts, orders) = (Set<LotID>(), Set<PersonID>(), Set<OrderID>())
        var (blocked, drafts): ([Draft], [Draft]) = ([], [])
        for recall in recalls {
            var facts: [OrdersEvent] = []
            for buyer in buyers(with: Set(recall.lots)) where carts.insert(buyer).inserted {
                facts.append(.cartReleased(CartReleased(buyer: buyer, why: .blocked)))
            }
            let news = recall.lots.filter { lot in
                tables.get(StockRow.self, lot.rawValue)?.state.blocked == nil && known.insert(lot).inserted
            }
            for order in self.orders(with: recall.lots) {
                facts += told(order, Set(news), recall.reason)
                if orders.insert(order).inserted { facts += dropped(order, lots, recall) }
            }
            blocked += news.map { lot in
                Draft(
                    LotBlocked(lot: lot, reason: recall.reason), in: "stock/\(lot)",
                    farm: tables.get(MarketLotRow.self, lot.rawValue)?.farm, by: actor, causation: recall.cause)
            }
            let all = facts + EventDrafts.inHand(facts, tables)
            drafts += all.map { EventDrafts.draft($0, by: actor, because: recall.cause) }
        }
        let all = blocked + drafts
        // One decision has its bound; what belongs to one order is decided from the tables as they stand.
        return stride(from: 0, to: all.count, by: EventLimits.decisionEvents).map { start in
            .append(Array(all[start..<min(start + EventLimits.decisionEvents, all.count)]))
        }
    }

    /// Whose carts hold any of these lots.
    private func buyers(with lots: Set<LotID>) -> [PersonID] {
        tables.scan(CartRow.self, limit: .max).filter { cart in
            cart.lines.contains { line in line.lot.map(lots.contains) ?? false }
        }.map { PersonID($0.key) }
    }

    /// All of them, however many: whoever is left out eats what was recalled.
    private func orders(with lots: [LotID]) -> [OrderID] {
        var seen: Set<OrderID> = []
        return lots.flatMap { lot in
            tables.scan(LotOrderRow.self, prefix: "\(lot)|", limit: .max).map(\.order)
                .filter { seen.insert($0).inserted }
        }
    }

    /// Nobody is told twice of the same lot.
    private func told(_ order: OrderID, _ news: Set<LotID>, _ reason: String) -> [OrdersEvent] {
        guard let state = tables.get(OrderRow.self, order.rawValue)?.state, let buyer = state.placed?.buyer else {
            return []
        }
        let lots = state.lines.boxes.map(\.lot).filter(news.contains)
        guard !lots.isEmpty else { return [] }
        return [
            .orderRecalled(
                OrderRecalled(
                    order: order, buyer: buyer, lots: lots, reason: reason, isCollected: state.phase == .collected))
        ]
    }

    private func dropped(_ order: OrderID, _ lots: Set<LotID>, _ recall: Recall) -> [OrdersEvent] {
        guard let row = tables.get(OrderRow.self, order.rawValue) else { return [] }
        let number = UUID.derived(by: "recall|\(order)", from: recall.cause, 0)
        let refund = RefundID("r" + Hex.encode(number.bytes.prefix(10)))
        do {
            let facts = try Order.decide(.drop(lots: lots, reason: recall.reason, refund: refund), in: row.state)
            guard facts.contains(where: { if case .orderCancelled = $0 { true } else { false } }) else { return facts }
            return facts + EventDrafts.voids(order, recall.reason, tables)
        } catch {
            // A cheaper order is always possible; what was said of money stands in the journal.
            return []
        }
    }

    // MARK: People

    /// Whoever is erased wants nothing any more.
    func erased(_ person: PersonID, by cause: UUID) -> [Effect] {
        guard tables.get(CartRow.self, person.rawValue) != nil else { return [] }
        let fact = OrdersEvent.cartReleased(CartReleased(buyer: person, why: .erased))
        return [.append([EventDrafts.draft(fact, by: actor, because: cause)])]
    }

    // MARK: The clock

    /// What has run out by now: stock is free again.
    func ranOut() -> [Effect] {
        tables.scan(ExpiryRow.self, limit: MarketLimits.expiries).prefix { ($0.time ?? now) <= now }.compactMap { row in
            switch row.thing {
            case .cart(let buyer):
                let fact = OrdersEvent.cartReleased(CartReleased(buyer: buyer, why: .expired))
                return .append([EventDrafts.draft(fact, by: actor)])
            case .order(let order): return unpaid(order)
            case nil: return nil
            }
        }
    }

    private func unpaid(_ order: OrderID) -> Effect? {
        guard let row = tables.get(OrderRow.self, order.rawValue) else { return nil }
        let refund = RefundID("r" + order.rawValue)
        do {
            let facts = try Order.decide(
                .cancel(why: .unpaid, reason: "It was not paid in time.", refund: refund), in: row.state)
            let all = facts + EventDrafts.voids(order, "not paid in time", tables)
            return .append(all.map { EventDrafts.draft($0, by: actor) })
        } catch {
            return nil
        }
    }
}
