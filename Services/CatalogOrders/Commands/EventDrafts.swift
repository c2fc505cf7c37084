import EventSourcing
import Events
import Vocabulary

/// Drafts of order and payment events, with their stream and farm.
enum EventDrafts {
    static func draft(_ fact: OrdersEvent, by actor: Actor, because cause: UUID? = nil) -> Draft {
        var draft = Draft(fact.event, in: stream(of: fact), by: actor, causation: cause)
        switch fact {
        case .orderPlaced(let placed): draft.farm = onlyFarm(of: placed.lines)
        case .orderRecordChanged(let event): draft.farm = onlyFarm(of: event.record.lines)
        case .cartHeld, .cartReleased, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded, .orderRecalled,
            .orderImported, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentCaptured, .paymentFailed,
            .paymentVoided, .paymentRefunded:
            break
        }
        return draft
    }

    private static func onlyFarm(of lines: [OrderLine]) -> FarmID? {
        let farms = Set(lines.compactMap(\.farm))
        return farms.count == 1 ? farms.first : nil
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
        tables.find(PaymentRow.self, where: "orders", is: order.rawValue, limit: MarketLimits.payments).decisiveLast
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
        case .orderPlaced, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded, .orderRecalled,
            .orderImported, .orderRecordChanged, .paymentRequested, .paymentOpened, .paymentAuthorized,
            .paymentCaptured, .paymentFailed, .paymentVoided, .paymentRefunded:
            fact.payment.map { "payment/\($0)" } ?? fact.order.map { "order/\($0)" } ?? ""
        }
    }
}
