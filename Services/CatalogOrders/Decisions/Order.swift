import EventSourcing
import Events
import Vocabulary

/// The rules of an order: placed once, changed and cancelled until it is collected, and no more money goes back than
/// came in.
enum Order: Decider {
    enum Command: Sendable {
        case place(OrderPlaced)
        case change(lines: [OrderLine], total: Money, pickup: PickupID, refund: RefundID)
        /// What was recalled is taken out; nothing left means cancelled.
        case drop(lots: Set<LotID>, reason: String, refund: RefundID)
        case cancel(why: CancelReason, reason: String?, refund: RefundID)
        case collect
        /// Another payment, after those before it failed: how they stand, and when it is.
        case payAgain(PaymentID, after: [Payment.Phase], at: Instant)
        case refund(RefundID, Money, reason: String)
        /// The provider's word on the money of this order.
        case settle(OrdersEvent, refund: RefundID)
    }

    enum Phase: String, Sendable { case placed, collected, cancelled }

    /// What an order is at the moment.
    struct State: Sendable, Equatable {
        var placed: OrderPlaced?
        var phase = Phase.placed
        var lines: [OrderLine] = []
        var total: Money?
        var pickup: PickupID?
        /// What came in, and what is to go back or went back of it.
        var captured: Int64 = 0
        var refunded: Int64 = 0

        /// What has to come in still. Money that goes back is never owed again: what the order costs fell by it before,
        /// or it is a gift.
        var owed: Int64 { phase == .cancelled ? 0 : max(0, (total?.minor ?? 0) - captured) }
        var isPaid: Bool { owed == 0 }
    }

    enum Refusal: Error, Equatable, Sendable {
        case unknown
        case known
        case over(Phase)
        /// It is not paid, and has to be before this.
        case unpaid
        /// It waits for its payment; what it costs can't change meanwhile.
        case paying
        /// Why it is not paid anew: it is paid when picked up, is paid, can be paid still, too late, tried too often.
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
            .paymentVoided, .paymentRefunded, .orderRecalled, .orderImported:
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
            // Money for an order that is off, or more than is owed: it goes back at once.
            guard case .paymentCaptured(let event) = fact, event.amount.minor > state.owed else { return [fact] }
            return [fact, paid.refund(refund, event.amount.minor - state.owed, "paid too late or too much")]
        }
    }

    private static func isOpen(_ state: State) throws(Refusal) {
        guard state.phase == .placed else { throw .over(state.phase) }
    }

    /// The money of an order.
    private struct Paid {
        let state: State
        let placed: OrderPlaced

        init(_ state: State, _ placed: OrderPlaced) {
            self.state = state
            self.placed = placed
        }

        /// What could still go back.
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
            // Of what was given as a gift before, nothing goes back twice.
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
