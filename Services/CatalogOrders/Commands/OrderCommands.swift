import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Commands for carts and orders.
extension MarketCommands {
    // MARK: Carts

    /// Reserves stock for a whole cart and replaces the buyer's earlier reservation. Throws if any line cannot be
    /// reserved.
    func holdCart(_ command: HoldCart) throws(Problem) -> Outcome {
        let buyer = try buyer()
        let basket = try basket(command.lines, at: nil)
        let before = tables.get(CartRow.self, buyer.rawValue)?.lines ?? []
        try take(basket) { lot, boxes in .hold(boxes: boxes, insteadOf: before.boxes(of: lot)) }
        let until = now.advanced(bySeconds: MarketLimits.cartSeconds)
        let event = CartHeld(buyer: buyer, lines: basket.lines, until: until)
        return (
            [draft(event, "cart/\(buyer)", farm: nil)],
            .made(CartResponse(lines: basket.lines, total: basket.total, until: until))
        )
    }

    func emptyCart() throws(Problem) -> Outcome {
        let buyer = try buyer()
        guard tables.get(CartRow.self, buyer.rawValue) != nil else { return ([], .made { _ in }) }
        let event = CartReleased(buyer: buyer, why: .emptied)
        return ([draft(event, "cart/\(buyer)", farm: nil)], .made { _ in })
    }

    // MARK: Orders

    /// Places an order for the lines, or else for the buyer's reserved cart, at current prices.
    func placeOrder(_ command: PlaceOrder) throws(Problem) -> Outcome {
        let buyer = try buyer()
        let pickup = try pickup(command.pickup).pickup
        let wanted = command.payment ?? .atPickup
        guard wanted == .atPickup || hasSandbox else { throw noSuchPayment }
        let cart = try command.lines == nil ? self.cart(of: buyer) : nil
        let basket = try basket(command.lines ?? cart?.wishes ?? [], at: pickup)
        try take(basket) { lot, boxes in
            .order(boxes: boxes, fromCart: cart?.lines.boxes(of: lot) ?? 0, insteadOf: 0)
        }
        // Payment providers do not accept an amount of zero.
        let method = basket.total.minor == 0 ? .atPickup : wanted
        let order = OrderID(name("o"))
        let until = method == .atPickup ? nil : now.advanced(bySeconds: MarketLimits.paySeconds)
        let placed = OrderPlaced(
            order: order, buyer: buyer, lines: basket.lines, total: basket.total, pickup: pickup, payment: method,
            until: until)
        var facts: [OrdersEvent] = cart == nil ? [] : [.cartReleased(CartReleased(buyer: buyer, why: .ordered))]
        facts += try decide(.place(placed), order)
        if method != .atPickup { facts.append(request(PaymentID(name("p")), order, basket.total, method, until)) }
        return outcome(order, facts, status: 201)
    }

    private func cart(of buyer: PersonID) throws(Problem) -> CartRow {
        guard let cart = tables.get(CartRow.self, buyer.rawValue) else {
            throw Problem(409, "empty-cart", "Your cart is empty, or was kept too long ago; fill it again.")
        }
        return cart
    }

    func changeOrder(_ command: ChangeOrder) throws(Problem) -> Outcome {
        let order = command.order
        let row = try own(order)
        var place = row.state.pickup
        if let name = command.pickup { place = try pickup(name).pickup }
        guard let pickup = place else { throw Order.Refusal.unknown.problem(order) }
        let basket = try basket(command.lines, at: pickup)
        try checkRoom(row)
        try take(basket) { lot, boxes in
            .order(boxes: boxes, fromCart: 0, insteadOf: row.state.lines.boxes(of: lot))
        }
        let facts = try decide(
            .change(lines: basket.lines, total: basket.total, pickup: pickup, refund: RefundID(name("r"))), order)
        return outcome(order, facts)
    }

    func cancelOrder(_ command: CancelOrder) throws(Problem) -> Outcome {
        try cancel(command.order, try own(command.order), .buyer, command.reason)
    }

    /// Requests another payment in place of one that failed.
    ///
    /// The failed payment is voided first, so that it is not captured later.
    func payAgain(_ command: PayAgain) throws(Problem) -> Outcome {
        let order = command.order
        _ = try own(order)
        guard hasSandbox else { throw noSuchPayment }
        let before = EventDrafts.payments(order, tables).map(\.state.phase)
        let again = try decide(.payAgain(PaymentID(name("p")), after: before, at: now), order)
        return outcome(order, EventDrafts.voids(order, "tried again", tables) + again, status: 201)
    }

    func callOffOrder(_ command: CallOffOrder) throws(Problem) -> Outcome {
        try cancel(command.order, try row(of: command.order), .staff, command.reason)
    }

    private func cancel(
        _ order: OrderID, _ row: OrderRow, _ why: CancelReason, _ reason: String?
    ) throws(Problem) -> Outcome {
        let facts = try decide(.cancel(why: why, reason: reason, refund: RefundID(name("r"))), order)
        return outcome(order, facts + EventDrafts.voids(order, reason ?? why.rawValue, tables))
    }

    /// Records that an order was collected, and the capture of the amount that is due at pickup.
    func collectOrder(_ command: CollectOrder) throws(Problem) -> Outcome {
        let order = command.order
        let row = try row(of: order)
        let collected = try decide(.collect, order)
        let held = row.state.lines.boxes.map(\.lot).first {
            tables.get(MarketLotRow.self, $0.rawValue)?.holds.isHeld == true
        }
        if let held {
            throw Problem(409, "held", "Lot \(held) is held; the farm has to release it before it is given out.")
        }
        guard let total = row.state.total, row.state.owed > 0 else { return outcome(order, collected, status: 201) }
        let payment = PaymentID(name("p"))
        let amount = Money(row.state.owed, total.currency)
        let captured = PaymentCaptured(payment: payment, order: order, amount: amount, method: .atPickup)
        let paid = [request(payment, order, amount, .atPickup, nil), .paymentCaptured(captured)]
        return outcome(order, paid + collected, status: 201)
    }

    func refundOrder(_ command: RefundOrder) throws(Problem) -> Outcome {
        let order = command.order
        try checkRoom(try row(of: order))
        let refund = RefundID(name("r"))
        let facts = try decide(.refund(refund, command.amount, reason: command.reason), order)
        return outcome(order, facts, status: 201)
    }

    // MARK: Tools

    private func checkRoom(_ row: OrderRow) throws(Problem) {
        guard row.refunds < MarketLimits.refunds else {
            throw Problem(
                409, "too-many-refunds", "Money of this order went back \(MarketLimits.refunds) times already.")
        }
    }

    func basket(_ wishes: [CartItem], at pickup: PickupID?) throws(Problem) -> Basket {
        do {
            return try Basket(wishes, at: pickup) { offer in
                tables.get(OfferRow.self, offer.rawValue)?.priced(at: now, in: tables)
            }
        } catch {
            throw error.problem(in: tables)
        }
    }

    /// Checks for each lot of a basket that the stock has enough free boxes.
    ///
    /// Throws if it does not; the problem counts in units of the offer, not in boxes.
    private func take(_ basket: Basket, _ command: (LotID, Int) -> Stock.Command) throws(Problem) {
        for (lot, boxes) in basket.lines.boxes {
            do {
                _ = try Stock.decide(command(lot, boxes), in: tables.get(StockRow.self, lot.rawValue)?.state ?? .init())
            } catch .soldOut(let left) {
                throw soldOut(basket.lines.filter { $0.lot == lot }, left)
            } catch {
                throw error.problem(lot)
            }
        }
    }

    /// Returns the problem for lines of one lot that want more boxes than are left.
    ///
    /// - Parameter boxes: the number of boxes left for these lines.
    private func soldOut(_ lines: [OrderLine], _ boxes: Int) -> Problem {
        let titles = lines.map { tables.title(of: $0.product) }.joined(separator: " and ")
        guard let line = lines.first, lines.count == 1 || boxes == 0 else {
            return Problem(409, "sold-out", "Not enough is left of \(titles).")
        }
        let units = boxes * line.quantity / max(1, line.boxes)
        return Problem(409, "sold-out", units == 0 ? "\(titles): sold out." : "\(titles): only \(units) left.")
    }

    private var noSuchPayment: Problem {
        Problem(409, "no-such-payment", "Here orders are paid when they are picked up.")
    }

    private func row(of order: OrderID) throws(Problem) -> OrderRow {
        guard let row = tables.get(OrderRow.self, order.rawValue) else { throw Order.Refusal.unknown.problem(order) }
        return row
    }

    /// Returns an order of the caller. Throws "unknown order" for an order of another buyer.
    private func own(_ order: OrderID) throws(Problem) -> OrderRow {
        let row = try row(of: order)
        guard row.state.placed?.buyer == (try buyer()) else { throw Order.Refusal.unknown.problem(order) }
        return row
    }

    func decide(_ command: Order.Command, _ order: OrderID) throws(Problem) -> [OrdersEvent] {
        let state = tables.get(OrderRow.self, order.rawValue)?.state ?? Order.initial
        do {
            return try Order.decide(command, in: state)
        } catch {
            throw error.problem(order)
        }
    }

    private func request(
        _ payment: PaymentID, _ order: OrderID, _ amount: Money, _ method: PaymentMethod, _ until: Instant?
    ) -> OrdersEvent {
        .paymentRequested(
            PaymentRequested(payment: payment, order: order, amount: amount, method: method, until: until))
    }

    /// Returns the events as drafts, and the order as it will be after them.
    private func outcome(_ order: OrderID, _ facts: [OrdersEvent], status: Int = 200) -> Outcome {
        let facts = facts + EventDrafts.inHand(facts, tables)
        var after = OrderWithPayments(order, tables)
        for case .orderPlaced(let event) in facts { after = OrderWithPayments(placing: event, at: now) }
        after?.apply(facts)
        let record = after?.record
        return (facts.map { EventDrafts.draft($0, by: ask.actor) }, .made(status) { record?.write(fields: &$0) })
    }
}
