public import EventSourcing
public import JSON
public import Vocabulary

/// The payment of an order was requested.
public struct PaymentRequested: Event, Equatable {
    public static let name = "farm.furrow.orders.payment-requested.v1"

    public var payment: PaymentID
    public var order: OrderID
    public var amount: Money
    public var method: PaymentMethod
    /// When the payment intent expires; nil if it does not.
    public var until: Instant?

    public init(payment: PaymentID, order: OrderID, amount: Money, method: PaymentMethod, until: Instant? = nil) {
        self.payment = payment
        self.order = order
        self.amount = amount
        self.method = method
        self.until = until
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        payment = try json.get("payment")
        order = try json.get("order")
        amount = try json.get("amount")
        method = try json.get("method")
        until = try json.find("until")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("payment", payment)
        json.field("order", order)
        json.field("amount", amount)
        json.field("method", method)
        json.field("until", ifPresent: until)
    }
}
