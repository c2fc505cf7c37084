public import EventSourcing
public import JSON
public import Vocabulary

/// An order was cancelled; its stock is available again.
public struct OrderCancelled: Event, Equatable {
    public static let name = "farm.furrow.orders.order-cancelled.v1"

    public var order: OrderID
    public var why: CancelReason
    /// The reason in words.
    public var reason: String?

    public init(order: OrderID, why: CancelReason, reason: String? = nil) {
        self.order = order
        self.why = why
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
        why = try json.get("why")
        reason = try json.find("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
        json.field("why", why)
        json.field("reason", ifPresent: reason)
    }
}
