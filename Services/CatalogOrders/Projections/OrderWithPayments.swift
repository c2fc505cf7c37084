import EventSourcing
import Events
import Vocabulary

/// An order with its payments, from which its record is made.
struct OrderWithPayments {
    private(set) var order: OrderRow
    private var payments: [PaymentRow]

    /// Reads an order; nil if there is none.
    init?(_ order: OrderID, _ tables: some Tables) {
        guard let row = tables.get(OrderRow.self, order.rawValue) else { return nil }
        self.init(row, tables)
    }

    /// Reads the payments of an order.
    init(_ order: OrderRow, _ tables: some Tables) {
        self.order = order
        payments = tables.find(PaymentRow.self, where: "orders", is: order.key, limit: MarketLimits.payments)
    }

    /// Creates an order that is placed now and has no payments yet.
    init(placing event: OrderPlaced, at time: Instant) {
        order = OrderRow(event, at: time)
        payments = []
    }

    /// Applies events that the tables do not have yet.
    mutating func apply(_ facts: [OrdersEvent]) {
        for fact in facts {
            order.apply(fact)
            if case .paymentRequested(let event) = fact {
                payments.append(PaymentRow(event))
            } else if let payment = fact.payment, let index = payments.firstIndex(where: { $0.key == payment.rawValue })
            {
                Payment.evolve(&payments[index].state, with: fact)
            }
        }
    }

    /// The record of the order, for its buyer and the staff; nil if the order was not placed here.
    var record: OrderRecord? {
        let state = order.state
        guard let placed = state.placed, let total = state.total else { return nil }
        let currency = total.currency
        return OrderRecord(
            order: placed.order, state: state.phase, placed: order.placed, lines: state.lines, total: total,
            pickup: state.pickup ?? placed.pickup, payment: placed.payment, paid: Money(state.captured, currency),
            refunded: Money(state.refunded, currency),
            returned: Money(payments.reduce(0) { $0 + $1.state.refunded }, currency), owed: Money(state.owed, currency),
            payBefore: state.phase == .placed && !state.isPaid ? placed.until : nil, reason: order.reason,
            recalled: order.recalled, payments: payments.decisiveLast.compactMap(\.record))
    }
}

extension [PaymentRow] {
    /// The payments in this order: first the voided, then the failed, then all others.
    var decisiveLast: [PaymentRow] {
        filter { $0.state.phase == .voided } + filter { $0.state.phase == .failed }
            + filter { $0.state.phase != .voided && $0.state.phase != .failed }
    }
}

extension PaymentRow {
    fileprivate var record: OrderPayment? {
        guard let asked = state.requested else { return nil }
        return OrderPayment(
            payment: asked.payment, state: state.phase, method: asked.method, amount: asked.amount,
            page: state.phase == .opened ? state.page : nil, refunded: Money(state.refunded, asked.amount.currency))
    }
}
