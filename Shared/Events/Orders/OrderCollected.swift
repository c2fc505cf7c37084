public import EventSourcing
public import JSON
public import Vocabulary

/// The buyer collected the goods of an order.
public struct OrderCollected: Event, Equatable {
    public static let name = "farm.furrow.orders.order-collected.v1"

    public var order: OrderID

    public init(order: OrderID) {
        self.order = order
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
    }
}
