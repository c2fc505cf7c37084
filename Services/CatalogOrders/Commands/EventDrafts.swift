import EventSourcing
import Events
import Vocabulary

/// Drafts of order and payment events, with their stream and farm.
enum EventDrafts {
    static func draft(_ fact: OrdersEvent, by actor: Actor, because cause: UUID? = nil) -> Draft {
        var draft = Draft(fact.event, in: stream(of: fact), by: actor, causation: cause)
        if case .orderPlaced(let placed) = fact {
            let farms = Set(placed.lines.compactMap(\.farm))
            draft.farm = farms.count == 1 ? farms.first : nil
        }
        return draft
    }

    /// Returns the `PaymentRefunded` events of the refunds in `facts` that are paid in cash at pickup.
    ///
    /// A cash refund is complete when it is decided. Other refunds are complete when their provider reports them.
    static func inHand(_ facts: [OrdersEvent], _ tables: any Tables) -> [OrdersEvent] {
        facts.compactMap { fact in
            guard case .orderRefunded(let refund) = fact, refund.method == .atPickup else { return nil }
            let payments = payments(refund.order, tables)
            guard let payment = payments.first(where: { $0.state.phase == .captured }) else { return nil }
            return .paymentRefunded(
                PaymentRefunded(
                    payment: PaymentID(payment.key), order: refund.order, refund: refund.refund, amount: refund.amount))
        }
    }

    /// Returns the payments of an order: first the voided, then the failed, then all others.
    static func payments(_ order: OrderID, _ tables: any Tables) -> [PaymentRow] {
        let rows = tables.find(PaymentRow.self, where: "orders", is: order.rawValue, limit: MarketLimits.payments)
        return rows.filter { $0.state.phase == .voided } + rows.filter { $0.state.phase == .failed }
            + rows.filter { $0.state.phase != .voided && $0.state.phase != .failed }
    }

    /// Returns the events that void the open and failed payments of an order.
    static func voids(_ order: OrderID, _ reason: String, _ tables: any Tables) -> [OrdersEvent] {
        payments(order, tables).flatMap { row in
            do {
                return try Payment.decide(.void(reason: reason), in: row.state)
            } catch {
                // A captured payment is refunded, not voided.
                return []
            }
        }
    }

    static func stream(of fact: OrdersEvent) -> String {
        switch fact {
        case .cartHeld(let event): "cart/\(event.buyer)"
        case .cartReleased(let event): "cart/\(event.buyer)"
        case .orderPlaced(let event): "order/\(event.order)"
        case .orderChanged(let event): "order/\(event.order)"
        case .orderCancelled(let event): "order/\(event.order)"
        case .orderCollected(let event): "order/\(event.order)"
        case .orderRefunded(let event): "order/\(event.order)"
        case .orderRecalled(let event): "order/\(event.order)"
        case .orderImported(let event): "order/\(event.order)"
        case .paymentRequested(let event): "payment/\(event.payment)"
        case .paymentOpened(let event): "payment/\(event.payment)"
        case .paymentAuthorized(let event): "payment/\(event.payment)"
        case .paymentCaptured(let event): "payment/\(event.payment)"
        case .paymentFailed(let event): "payment/\(event.payment)"
        case .paymentVoided(let event): "payment/\(event.payment)"
        case .paymentRefunded(let event): "payment/\(event.payment)"
        }
    }
}
