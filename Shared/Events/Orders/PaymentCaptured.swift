public import EventSourcing
public import JSON
public import Vocabulary

/// The payment was captured: the farm has the money.
public struct PaymentCaptured: Event, Equatable {
    public static let name = "farm.furrow.orders.payment-captured.v1"

    public var payment: PaymentID
    public var order: OrderID
    public var amount: Money
    public var method: PaymentMethod

    public init(payment: PaymentID, order: OrderID, amount: Money, method: PaymentMethod) {
        self.payment = payment
        self.order = order
        self.amount = amount
        self.method = method
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        payment = try json.get("payment")
        order = try json.get("order")
        amount = try json.get("amount")
        method = try json.get("method")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("payment", payment)
        json.field("order", order)
        json.field("amount", amount)
        json.field("method", method)
    }
}
