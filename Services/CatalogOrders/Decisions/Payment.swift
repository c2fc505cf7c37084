import EventSourcing
import Events
import Vocabulary

/// The rules of a payment. The amount is captured once, even if reports are repeated or arrive out of order.
enum Payment: Decider {
    enum Command: Sendable {
        case request(PaymentRequested)
        case open(reference: String, page: String?)
        case authorize(Money)
        case capture(Money)
        case fail(reason: String)
        case void(reason: String)
        case refund(RefundID, Money)
    }

    /// The current state of a payment.
    struct State: Sendable, Equatable {
        var requested: PaymentRequested?
        var phase = PaymentState.requested
        var reference: String?
        var page: String?
        /// The refunds that were paid back, and their sum in the smallest unit of the currency.
        var refunds: [RefundID] = []
        var refunded: Int64 = 0
    }

    enum Refusal: Error, Equatable, Sendable {
        case unknown
        case known
        /// The reported amount differs from the requested one.
        case amount(asked: Money)
        case captured
        case notCaptured
        case tooMuch
    }

    static let initial = State()

    static func evolve(_ state: inout State, with fact: OrdersEvent) {
        switch fact {
        case .paymentRequested(let event): state.requested = event
        case .paymentOpened(let event):
            if state.phase == .requested { state.phase = .opened }
            state.reference = event.reference
            state.page = event.page
        case .paymentAuthorized: state.phase = .authorized
        case .paymentCaptured: state.phase = .captured
        case .paymentFailed: state.phase = .failed
        case .paymentVoided: state.phase = .voided
        case .paymentRefunded(let event):
            state.refunds.append(event.refund)
            state.refunded += event.amount.minor
        case .cartHeld, .cartReleased, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded,
            .orderRecalled, .orderImported, .orderRecordChanged:
            break
        }
    }

    static func decide(_ command: Command, in state: State) throws(Refusal) -> [OrdersEvent] {
        if case .request(let request) = command {
            guard state.requested == nil else { throw .known }
            return [.paymentRequested(request)]
        }
        guard let asked = state.requested else { throw .unknown }
        let (payment, order) = (asked.payment, asked.order)
        switch command {
        case .request: return []
        case .open(let reference, let page):
            guard state.reference == nil else { return [] }
            return [
                .paymentOpened(PaymentOpened(payment: payment, order: order, reference: reference, page: page))
            ]
        case .authorize(let amount):
            guard amount == asked.amount else { throw .amount(asked: asked.amount) }
            switch state.phase {
            case .requested, .opened:
                return [.paymentAuthorized(PaymentAuthorized(payment: payment, order: order, amount: amount))]
            case .authorized, .captured, .failed, .voided: return []
            }
        case .capture(let amount):
            guard amount == asked.amount else { throw .amount(asked: asked.amount) }
            // A capture after the payment failed or was voided is recorded too; `Order` refunds it.
            guard state.phase != .captured else { return [] }
            return [
                .paymentCaptured(
                    PaymentCaptured(payment: payment, order: order, amount: amount, method: asked.method))
            ]
        case .fail(let reason):
            switch state.phase {
            case .requested, .opened, .authorized:
                return [.paymentFailed(PaymentFailed(payment: payment, order: order, reason: reason))]
            case .captured, .failed, .voided: return []
            }
        case .void(let reason):
            switch state.phase {
            case .requested, .opened, .authorized, .failed:
                return [.paymentVoided(PaymentVoided(payment: payment, order: order, reason: reason))]
            case .voided: return []
            case .captured: throw .captured
            }
        case .refund(let refund, let amount):
            guard !state.refunds.contains(refund) else { return [] }
            guard state.phase == .captured else { throw .notCaptured }
            guard amount.currency == asked.amount.currency, amount.minor > 0,
                amount.minor <= asked.amount.minor - state.refunded
            else { throw .tooMuch }
            return [
                .paymentRefunded(
                    PaymentRefunded(payment: payment, order: order, refund: refund, amount: amount))
            ]
        }
    }
}
