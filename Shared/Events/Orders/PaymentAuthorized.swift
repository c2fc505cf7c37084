public import EventSourcing
public import JSON
public import Vocabulary

/// The payment provider authorized the amount.
public struct PaymentAuthorized: Event, Equatable {
    public static let name = "farm.furrow.orders.payment-authorized.v1"

    public var payment: PaymentID
    public var order: OrderID
    public var amount: Money

    public init(payment: PaymentID, order: OrderID, amount: Money) {
        self.payment = payment
        self.order = order
        self.amount = amount
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        payment = try json.get("payment")
        order = try json.get("order")
        amount = try json.get("amount")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("payment", payment)
        json.field("order", order)
        json.field("amount", amount)
    }
}
