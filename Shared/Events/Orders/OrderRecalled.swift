public import EventSourcing
public import JSON
public import Vocabulary

/// Lots of an order were recalled; the buyer must be warned, whether or not the order was collected.
public struct OrderRecalled: Event, Equatable {
    public static let name = "farm.furrow.orders.order-recalled.v1"

    public var order: OrderID
    public var buyer: PersonID
    /// The recalled lots of the order.
    public var lots: [LotID]
    /// The reason in words.
    public var reason: String
    /// Whether the order was collected; if not, it is no longer handed out.
    public var isCollected: Bool

    public init(order: OrderID, buyer: PersonID, lots: [LotID], reason: String, isCollected: Bool) {
        self.order = order
        self.buyer = buyer
        self.lots = lots
        self.reason = reason
        self.isCollected = isCollected
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
        buyer = try json.get("buyer")
        lots = try json.get("lots")
        reason = try json.get("reason")
        isCollected = try json.get("isCollected")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
        json.field("buyer", buyer)
        json.field("lots", lots)
        json.field("reason", reason)
        json.field("isCollected", isCollected)
    }
}
