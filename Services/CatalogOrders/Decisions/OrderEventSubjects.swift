import Events
import Vocabulary

extension OrdersEvent {
    /// The order that the event is about; nil for carts.
    var order: OrderID? {
        switch self {
        case .cartHeld, .cartReleased: nil
        case .orderPlaced(let event): event.order
        case .orderChanged(let event): event.order
        case .orderCancelled(let event): event.order
        case .orderCollected(let event): event.order
        case .orderRefunded(let event): event.order
        case .orderRecalled(let event): event.order
        case .orderImported(let event): event.order
        case .orderRecordChanged(let event): event.record.order
        case .paymentRequested(let event): event.order
        case .paymentOpened(let event): event.order
        case .paymentAuthorized(let event): event.order
        case .paymentCaptured(let event): event.order
        case .paymentFailed(let event): event.order
        case .paymentVoided(let event): event.order
        case .paymentRefunded(let event): event.order
        }
    }

    /// The attempt to pay that the event is about; nil for events of carts and orders.
    var payment: PaymentID? {
        switch self {
        case .cartHeld, .cartReleased, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded,
            .orderRecalled, .orderImported, .orderRecordChanged:
            nil
        case .paymentRequested(let event): event.payment
        case .paymentOpened(let event): event.payment
        case .paymentAuthorized(let event): event.payment
        case .paymentCaptured(let event): event.payment
        case .paymentFailed(let event): event.payment
        case .paymentVoided(let event): event.payment
        case .paymentRefunded(let event): event.payment
        }
    }
}
