public import EventSourcing
public import JSON
public import Vocabulary

/// The buyer changed an order: all its lines after the change.
public struct OrderChanged: Event, Equatable {
    public static let name = "farm.furrow.orders.order-changed.v1"

    public var order: OrderID
    public var lines: [OrderLine]
    public var total: Money
    public var pickup: PickupID

    public init(order: OrderID, lines: [OrderLine], total: Money, pickup: PickupID) {
        self.order = order
        self.lines = lines
        self.total = total
        self.pickup = pickup
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
        lines = try json.get("lines")
        total = try json.get("total")
        pickup = try json.get("pickup")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
        json.field("lines", lines)
        json.field("total", total)
        json.field("pickup", pickup)
    }
}
