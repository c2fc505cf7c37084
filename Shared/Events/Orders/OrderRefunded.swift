public import EventSourcing
public import JSON
public import Vocabulary

/// A refund of an order was decided, in whole or in part.
public struct OrderRefunded: Event, Equatable {
    public static let name = "farm.furrow.orders.order-refunded.v1"

    public var order: OrderID
    public var refund: RefundID
    public var amount: Money
    public var reason: String
    /// How the money is returned.
    public var method: PaymentMethod

    public init(order: OrderID, refund: RefundID, amount: Money, reason: String, method: PaymentMethod) {
        self.order = order
        self.refund = refund
        self.amount = amount
        self.reason = reason
        self.method = method
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
        refund = try json.get("refund")
        amount = try json.get("amount")
        reason = try json.get("reason")
        method = try json.get("method")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
        json.field("refund", refund)
        json.field("amount", amount)
        json.field("reason", reason)
        json.field("method", method)
    }
}
