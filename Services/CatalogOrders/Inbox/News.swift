import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// What the hub's news and the clock mean for the market.
struct News {
    let tables: any Tables
    let now: Instant
    private let actor = Actor.service(CatalogOrders.name)

    init(tables: any Tables, now: Instant) {
        self.tables = tables
        self.now = now
    }

    // MARK: Recalls

    /// Nothing of a recalled lot is sold any more; carts lose it, and orders that wait for it. Whoever ordered it is to
    /// be told, most of all who has taken it home.
    func recalled(_ event: LotRecalled, by cause: UUID) -> [Effect] {
        let lots = [event.lot] + event.includes
        var facts: [OrdersFact] = []
        for cart in carts(with: Set(lots)) {
            facts.append(.cartReleased(CartReleased(buyer: PersonID(cart.key), why: .blocked)))
        }
        let news = lots.filter { tables.get(StockRow.self, $0.rawValue)?.state.blocked == nil }
        for order in orders(with: lots) {
            facts += told(order, Set(news), event.reason) + dropped(order, Set(lots), event.reason, cause)
        }
        let blocked = news.map { lot in
            Draft(
                LotBlocked(lot: lot, reason: event.reason), in: "stock/\(lot)",
                farm: tables.get(LotRow.self, lot.rawValue)?.farm, by: actor, causation: cause)
        }
        let all = facts + Drafting.inHand(facts, tables)
        let drafts = blocked + all.map { Drafting.draft($0, by: actor, because: cause) }
        // One decision has its bound; what belongs to one order is decided from the tables as they stand.
        return stride(from: 0, to: drafts.count, by: Limits.decisionEvents).map { start in
            .append(Array(drafts[start..<min(start + Limits.decisionEvents, drafts.count)]))
        }
    }

    private func carts(with lots: Set<LotID>) -> [CartRow] {
        tables.scan(CartRow.self, limit: .max).filter { cart in
            cart.lines.contains { line in line.lot.map(lots.contains) ?? false }
        }
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
    private func told(_ order: OrderID, _ news: Set<LotID>, _ reason: String) -> [OrdersFact] {
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

    private func dropped(_ order: OrderID, _ lots: Set<LotID>, _ reason: String, _ cause: UUID) -> [OrdersFact] {
        guard let row = tables.get(OrderRow.self, order.rawValue) else { return [] }
        let refund = RefundID("r" + Hex.encode(UUID.derived(by: "recall|\(order)", from: cause, 0).bytes.prefix(10)))
        do {
            let facts = try Order.decide(.drop(lots: lots, reason: reason, refund: refund), in: row.state)
            guard facts.contains(where: { if case .orderCancelled = $0 { true } else { false } }) else { return facts }
            return facts + Drafting.voids(order, reason, tables)
        } catch {
            // A cheaper order is always possible; what was said of money stands in the journal.
            return []
        }
    }

    // MARK: People

    /// Whoever is erased wants nothing any more.
    func erased(_ person: PersonID, by cause: UUID) -> [Effect] {
        guard tables.get(CartRow.self, person.rawValue) != nil else { return [] }
        let fact = OrdersFact.cartReleased(CartReleased(buyer: person, why: .erased))
        return [.append([Drafting.draft(fact, by: actor, because: cause)])]
    }

    // MARK: The clock

    /// What has run out by now: stock is free again.
    func ranOut() -> [Effect] {
        tables.scan(DueRow.self, limit: Bounds.expiries).prefix { ($0.time ?? now) <= now }.compactMap { row in
            switch row.thing {
            case .cart(let buyer):
                let fact = OrdersFact.cartReleased(CartReleased(buyer: buyer, why: .expired))
                return .append([Drafting.draft(fact, by: actor)])
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
            let all = facts + Drafting.voids(order, "not paid in time", tables)
            return .append(all.map { Drafting.draft($0, by: actor) })
        } catch {
            return nil
        }
    }
}
