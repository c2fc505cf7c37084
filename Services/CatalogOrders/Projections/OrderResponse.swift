import Events
import JSON
import Vocabulary

/// The JSON representation of an order, for its buyer and the staff.
struct OrderResponse {
    let order: OrderID
    let state: Order.State
    let placed: Instant
    let reason: String?
    let payments: [PaymentRow]

    init(_ order: OrderID, _ state: Order.State, placed: Instant, reason: String?, payments: [PaymentRow]) {
        self.order = order
        self.state = state
        self.placed = placed
        self.reason = reason
        self.payments = payments
    }

    func write(to json: inout JSONWriter) {
        guard let first = state.placed, let total = state.total else { return }
        let currency = total.currency
        json.field("order", order)
        json.field("state", state.phase.rawValue)
        json.field("placed", placed)
        json.field("lines", state.lines)
        json.field("total", total)
        json.field("pickup", ifPresent: state.pickup)
        json.field("payment", first.payment)
        json.field("paid", Money(state.captured, currency))
        json.field("refunded", Money(state.refunded, currency))
        json.field("owed", Money(state.owed, currency))
        json.field("payBefore", ifPresent: state.phase == .placed && !state.isPaid ? first.until : nil)
        json.field("reason", ifPresent: reason)
        json.field(
            "payments",
            array: { json in
                for payment in payments { json.object { json in write(payment, to: &json) } }
            })
    }

    private func write(_ row: PaymentRow, to json: inout JSONWriter) {
        guard let asked = row.state.requested else { return }
        json.field("payment", asked.payment)
        json.field("state", row.state.phase.rawValue)
        json.field("method", asked.method)
        json.field("amount", asked.amount)
        json.field("page", ifPresent: row.state.phase == .opened ? row.state.page : nil)
        json.field("refunded", Money(row.state.refunded, asked.amount.currency))
    }
}
