public import EventSourcing
public import JSON
public import Vocabulary

/// A payment failed; another attempt is another payment.
public struct PaymentFailed: Event, Equatable {
    public static let name = "farm.furrow.orders.payment-failed.v1"

    public var payment: PaymentID
    public var order: OrderID
    public var reason: String

    public init(payment: PaymentID, order: OrderID, reason: String) {
        self.payment = payment
        self.order = order
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        payment = try json.get("payment")
        order = try json.get("order")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("payment", payment)
        json.field("order", order)
        json.field("reason", reason)
    }
}
