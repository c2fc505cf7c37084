public import EventSourcing
public import JSON
public import Vocabulary

/// The money of a refund was returned.
public struct PaymentRefunded: Event, Equatable {
    public static let name = "farm.furrow.orders.payment-refunded.v1"

    public var payment: PaymentID
    public var order: OrderID
    public var refund: RefundID
    public var amount: Money

    public init(payment: PaymentID, order: OrderID, refund: RefundID, amount: Money) {
        self.payment = payment
        self.order = order
        self.refund = refund
        self.amount = amount
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        payment = try json.get("payment")
        order = try json.get("order")
        refund = try json.get("refund")
        amount = try json.get("amount")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("payment", payment)
        json.field("order", order)
        json.field("refund", refund)
        json.field("amount", amount)
    }
}
