import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// The market's reactions to events of other services and to the clock.
struct Reactions {
    let tables: any Tables
    let now: Instant
    private let actor = Actor.service(CatalogOrders.name)

    init(tables: any Tables, now: Instant) {
        self.tables = tables
        self.now = now
    }

    // MARK: Recalls

    /// Recalled lots, with the reason and the identifier of the `LotRecalled` event.
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

    /// Blocks the stock of recalled lots and removes the lots from carts and from orders that are not collected.
    ///
    /// Also records an `OrderRecalled` event for every order with boxes of the lots, collected ones included, so that
    /// its buyer is notified.
    ///
    /// - Parameter recalls: all recalls of one batch of consumed events. They are decided from the same state of the
    ///   tables, so a cart or an order loses the lots of all recalls at once.
    func recalled(_ recalls: [Recall]) -> [Effect] {
        let lots = Set(recalls.flatMap(\.lots))
        var (known, carts, orders) = (Set<LotID>(), Set<PersonID>(), Set<OrderID>())
        var (blocked, drafts): ([Draft], [Draft]) = ([], [])
        for recall in recalls {
            var facts: [OrdersEvent] = []
            for buyer in buyers(with: Set(recall.lots)) where carts.insert(buyer).inserted {
                facts.append(.cartReleased(CartReleased(buyer: buyer, why: .blocked)))
            }
            let newLots = recall.lots.filter { lot in
                tables.get(StockRow.self, lot.rawValue)?.state.blocked == nil && known.insert(lot).inserted
            }
            for order in self.orders(with: recall.lots) {
                facts += recallEvents(order, Set(newLots), recall.reason)
                if orders.insert(order).inserted { facts += dropped(order, lots, recall) }
            }
            blocked += newLots.map { lot in
                Draft(
                    LotBlocked(lot: lot, reason: recall.reason), in: "stock/\(lot)",
                    farm: tables.get(MarketLotRow.self, lot.rawValue)?.farm, by: actor, causation: recall.cause)
            }
            let all = facts + EventDrafts.inHand(facts, tables)
            drafts += all.map { EventDrafts.draft($0, by: actor, because: recall.cause) }
        }
        let all = blocked + drafts
        // The number of events per decision is limited. Splitting is safe: all drafts were decided from one state.
        return stride(from: 0, to: all.count, by: EventLimits.decisionEvents).map { start in
            .append(Array(all[start..<min(start + EventLimits.decisionEvents, all.count)]))
        }
    }

    /// Returns the buyers whose carts hold any of these lots.
    private func buyers(with lots: Set<LotID>) -> [PersonID] {
        tables.scan(CartRow.self, limit: .max).filter { cart in
            cart.lines.contains { line in line.lot.map(lots.contains) ?? false }
        }.map { PersonID($0.key) }
    }

    /// Returns all orders with boxes of these lots, without a limit: a buyer left out would not learn of the recall.
    private func orders(with lots: [LotID]) -> [OrderID] {
        var seen: Set<OrderID> = []
        return lots.flatMap { lot in
            tables.scan(LotOrderRow.self, prefix: "\(lot)|", limit: .max).map(\.order)
                .filter { seen.insert($0).inserted }
        }
    }

    /// Returns the `OrderRecalled` event for the lots in `newLots`, which are recalled for the first time.
    ///
    /// So no buyer is notified twice of the same lot.
    private func recallEvents(_ order: OrderID, _ newLots: Set<LotID>, _ reason: String) -> [OrdersEvent] {
        guard let state = tables.get(OrderRow.self, order.rawValue)?.state, let buyer = state.placed?.buyer else {
            return []
        }
        let lots = state.lines.boxes.map(\.lot).filter(newLots.contains)
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
            // Not reached: `Order` never refuses an order that becomes cheaper.
            return []
        }
    }

    // MARK: People

    /// Returns the effects of a person's erasure: their cart is released.
    func erased(_ person: PersonID, by cause: UUID) -> [Effect] {
        guard tables.get(CartRow.self, person.rawValue) != nil else { return [] }
        let fact = OrdersEvent.cartReleased(CartReleased(buyer: person, why: .erased))
        return [.append([EventDrafts.draft(fact, by: actor, because: cause)])]
    }

    // MARK: The clock

    /// Releases the carts and cancels the unpaid orders that have expired at `now`, which frees their stock; ends the
    /// promotions whose time is over.
    func ranOut() -> [Effect] {
        tables.scan(ExpiryRow.self, limit: MarketLimits.expiries).prefix { ($0.time ?? now) <= now }.compactMap { row in
            switch row.thing {
            case .cart(let buyer):
                let fact = OrdersEvent.cartReleased(CartReleased(buyer: buyer, why: .expired))
                return .append([EventDrafts.draft(fact, by: actor)])
            case .order(let order): return unpaid(order)
            case .promotion(let promotion):
                let event = PromotionEnded(promotion: promotion, why: .over)
                let farm = tables.get(PromotionRow.self, promotion.rawValue)?.farm
                return .append([Draft(event, in: "promotion/\(promotion)", farm: farm, by: actor)])
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
