public import EventSourcing
public import JSON

/// The events of carts, orders and their payment.
public enum OrdersEvent: EventFamily {
    case cartHeld(CartHeld)
    case cartReleased(CartReleased)
    case orderPlaced(OrderPlaced)
    case orderChanged(OrderChanged)
    case orderCancelled(OrderCancelled)
    case orderCollected(OrderCollected)
    case orderRefunded(OrderRefunded)
    case orderRecalled(OrderRecalled)
    case orderImported(OrderImported)
    case paymentRequested(PaymentRequested)
    case paymentOpened(PaymentOpened)
    case paymentAuthorized(PaymentAuthorized)
    case paymentCaptured(PaymentCaptured)
    case paymentFailed(PaymentFailed)
    case paymentVoided(PaymentVoided)
    case paymentRefunded(PaymentRefunded)

    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case CartHeld.name: self = .cartHeld(try CartHeld(json: json))
        case CartReleased.name: self = .cartReleased(try CartReleased(json: json))
        case OrderPlaced.name: self = .orderPlaced(try OrderPlaced(json: json))
        case OrderChanged.name: self = .orderChanged(try OrderChanged(json: json))
        case OrderCancelled.name: self = .orderCancelled(try OrderCancelled(json: json))
        case OrderCollected.name: self = .orderCollected(try OrderCollected(json: json))
        case OrderRefunded.name: self = .orderRefunded(try OrderRefunded(json: json))
        case OrderRecalled.name: self = .orderRecalled(try OrderRecalled(json: json))
        case OrderImported.name: self = .orderImported(try OrderImported(json: json))
        case PaymentRequested.name: self = .paymentRequested(try PaymentRequested(json: json))
        case PaymentOpened.name: self = .paymentOpened(try PaymentOpened(json: json))
        case PaymentAuthorized.name: self = .paymentAuthorized(try PaymentAuthorized(json: json))
        case PaymentCaptured.name: self = .paymentCaptured(try PaymentCaptured(json: json))
        case PaymentFailed.name: self = .paymentFailed(try PaymentFailed(json: json))
        case PaymentVoided.name: self = .paymentVoided(try PaymentVoided(json: json))
        case PaymentRefunded.name: self = .paymentRefunded(try PaymentRefunded(json: json))
        default: return nil
        }
    }

    public var event: any Event {
        switch self {
        case .cartHeld(let event): event
        case .cartReleased(let event): event
        case .orderPlaced(let event): event
        case .orderChanged(let event): event
        case .orderCancelled(let event): event
        case .orderCollected(let event): event
        case .orderRefunded(let event): event
        case .orderRecalled(let event): event
        case .orderImported(let event): event
        case .paymentRequested(let event): event
        case .paymentOpened(let event): event
        case .paymentAuthorized(let event): event
        case .paymentCaptured(let event): event
        case .paymentFailed(let event): event
        case .paymentVoided(let event): event
        case .paymentRefunded(let event): event
        }
    }

    public static let names = [
        CartHeld.name, CartReleased.name, OrderPlaced.name, OrderChanged.name,
        OrderCancelled.name, OrderCollected.name, OrderRefunded.name, OrderRecalled.name, OrderImported.name,
        PaymentRequested.name, PaymentOpened.name, PaymentAuthorized.name, PaymentCaptured.name, PaymentFailed.name,
        PaymentVoided.name, PaymentRefunded.name,
    ]

    public static let types: [any Event.Type] = [
        CartHeld.self, CartReleased.self, OrderPlaced.self, OrderChanged.self,
        OrderCancelled.self, OrderCollected.self, OrderRefunded.self, OrderRecalled.self, OrderImported.self,
        PaymentRequested.self, PaymentOpened.self, PaymentAuthorized.self, PaymentCaptured.self, PaymentFailed.self,
        PaymentVoided.self, PaymentRefunded.self,
    ]
}
