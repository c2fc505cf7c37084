import EventSourcing
import Events
import Vocabulary

/// The rules of an order.
///
/// An order is placed once. It can be changed and cancelled until it is collected. Refunds never exceed captured
/// payments.
enum Order: Decider {
    enum Command: Sendable {
        case place(OrderPlaced)
        case change(lines: [OrderLine], total: Money, pickup: PickupID, refund: RefundID)
        /// Recalled lots are removed from the order. An order without lines left is cancelled.
        case drop(lots: Set<LotID>, reason: String, refund: RefundID)
        case cancel(why: CancelReason, reason: String?, refund: RefundID)
        case collect
        /// Requests another payment after earlier ones failed, given the phases of the earlier payments and the time.
        case payAgain(PaymentID, after: [PaymentState], at: Instant)
        case refund(RefundID, Money, reason: String)
        /// Records a payment event that the provider reported.
        case settle(OrdersEvent, refund: RefundID)
    }

    /// The current state of an order.
    struct State: Sendable, Equatable {
        var placed: OrderPlaced?
        var phase = OrderState.placed
        var lines: [OrderLine] = []
        var total: Money?
        var pickup: PickupID?
        /// The amounts captured and refunded, in the smallest unit of the currency. Pending refunds are included.
        var captured: Int64 = 0
        var refunded: Int64 = 0

        /// The amount still to be paid. A refund does not increase it: either the total fell before, or the refund is
        /// goodwill.
        var owed: Int64 { phase == .cancelled ? 0 : max(0, (total?.minor ?? 0) - captured) }
        var isPaid: Bool { owed == 0 }
    }

    enum Refusal: Error, Equatable, Sendable {
        case unknown
        case known
        case over(OrderState)
        /// The order has to be paid before this command.
        case unpaid
        /// A payment is pending, so the total cannot change.
        case paying
        /// Reasons against another payment: paid at pickup, already paid, a payment is open, too late, too many
        /// attempts.
        case inHand, paid, inPayment, tooLate, tooOften
        case dearer
        case tooMuch(left: Int64)
        case nothing
        case currency
    }

    static let initial = State()

    static func evolve(_ state: inout State, with fact: OrdersEvent) {
        switch fact {
        case .orderPlaced(let event):
            state.placed = event
            state.lines = event.lines
            state.total = event.total
            state.pickup = event.pickup
        case .orderChanged(let event):
            state.lines = event.lines
            state.total = event.total
            state.pickup = event.pickup
        case .orderCancelled: state.phase = .cancelled
        case .orderCollected: state.phase = .collected
        case .orderRefunded(let event): state.refunded += event.amount.minor
        case .paymentCaptured(let event): state.captured += event.amount.minor
        case .cartHeld, .cartReleased, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentFailed,
            .paymentVoided, .paymentRefunded, .orderRecalled, .orderImported, .orderRecordChanged:
            break
        }
    }

    static func decide(_ command: Command, in state: State) throws(Refusal) -> [OrdersEvent] {
        if case .place(let order) = command {
            guard state.placed == nil else { throw .known }
            return [.orderPlaced(order)]
        }
        guard let placed = state.placed else { throw .unknown }
        let paid = Paid(state, placed)
        switch command {
        case .place: return []
        case .change(let lines, let total, let pickup, let refund):
            try isOpen(state)
            return try paid.changed(to: lines, total, pickup, refund, "changed by the buyer")
        case .drop(let lots, let reason, let refund):
            guard state.phase == .placed else { return [] }
            let rest = state.lines.filter { line in line.lot.map { !lots.contains($0) } ?? true }
            guard rest.count < state.lines.count else { return [] }
            guard let total = Money.sum(rest.lazy.map(\.amount)), placed.payment == .atPickup || state.isPaid else {
                return paid.cancelled(.recalled, reason, refund)
            }
            return try paid.changed(to: rest, total, state.pickup ?? placed.pickup, refund, reason)
        case .cancel(let why, let reason, let refund):
            try isOpen(state)
            return paid.cancelled(why, reason, refund)
        case .collect:
            try isOpen(state)
            guard state.isPaid || placed.payment == .atPickup else { throw .unpaid }
            return [.orderCollected(OrderCollected(order: placed.order))]
        case .payAgain(let payment, let before, let now):
            try isOpen(state)
            guard placed.payment != .atPickup, let until = placed.until else { throw .inHand }
            guard !state.isPaid else { throw .paid }
            guard before.allSatisfy({ $0 == .failed || $0 == .voided }) else { throw .inPayment }
            guard now < until else { throw .tooLate }
            guard before.count < MarketLimits.payments else { throw .tooOften }
            return [
                .paymentRequested(
                    PaymentRequested(
                        payment: payment, order: placed.order, amount: Money(state.owed, placed.total.currency),
                        method: placed.payment, until: until))
            ]
        case .refund(let refund, let amount, let reason):
            guard amount.currency == placed.total.currency else { throw .currency }
            guard amount.minor > 0 else { throw .nothing }
            guard amount.minor <= paid.left else { throw .tooMuch(left: paid.left) }
            return [paid.refund(refund, amount.minor, reason)]
        case .settle(let fact, let refund):
            // A payment for a cancelled order, or above the amount owed, is refunded at once.
            guard case .paymentCaptured(let event) = fact, event.amount.minor > state.owed else { return [fact] }
            return [fact, paid.refund(refund, event.amount.minor - state.owed, "paid too late or too much")]
        }
    }

    private static func isOpen(_ state: State) throws(Refusal) {
        guard state.phase == .placed else { throw .over(state.phase) }
    }

    /// The payments and refunds of an order.
    private struct Paid {
        let state: State
        let placed: OrderPlaced

        init(_ state: State, _ placed: OrderPlaced) {
            self.state = state
            self.placed = placed
        }

        /// The amount that can still be refunded.
        var left: Int64 { state.captured - state.refunded }

        func refund(_ refund: RefundID, _ minor: Int64, _ reason: String) -> OrdersEvent {
            .orderRefunded(
                OrderRefunded(
                    order: placed.order, refund: refund, amount: Money(minor, placed.total.currency), reason: reason,
                    method: placed.payment))
        }

        func changed(
            to lines: [OrderLine], _ total: Money, _ pickup: PickupID, _ refund: RefundID, _ reason: String
        ) throws(Refusal) -> [OrdersEvent] {
            guard total.currency == placed.total.currency else { throw .currency }
            let changed = OrdersEvent.orderChanged(
                OrderChanged(order: placed.order, lines: lines, total: total, pickup: pickup))
            guard placed.payment != .atPickup else { return [changed] }
            guard state.isPaid else { throw .paying }
            let cheaper = (state.total ?? placed.total).minor - total.minor
            guard cheaper >= 0 else { throw .dearer }
            // An earlier goodwill refund limits what is left, so no amount is refunded twice.
            let back = min(cheaper, left)
            return back > 0 ? [changed, self.refund(refund, back, reason)] : [changed]
        }

        func cancelled(_ why: CancelReason, _ reason: String?, _ refund: RefundID) -> [OrdersEvent] {
            let cancelled = OrdersEvent.orderCancelled(
                OrderCancelled(order: placed.order, why: why, reason: reason))
            return left > 0 ? [cancelled, self.refund(refund, left, reason ?? "cancelled")] : [cancelled]
        }
    }
}
