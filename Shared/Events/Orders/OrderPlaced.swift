public import EventSourcing
public import JSON
public import Vocabulary

/// A buyer placed an order; its stock is reserved until it is collected or cancelled.
public struct OrderPlaced: Event, Equatable {
    public static let name = "farm.furrow.orders.order-placed.v1"

    public var order: OrderID
    /// The buyer; the person's data is in a vault.
    public var buyer: PersonID
    public var lines: [OrderLine]
    /// The sum of the lines.
    public var total: Money
    public var pickup: PickupID
    public var payment: PaymentMethod
    /// The deadline of the payment; nil if it is paid at the pickup.
    public var until: Instant?

    public init(
        order: OrderID, buyer: PersonID, lines: [OrderLine], total: Money, pickup: PickupID, payment: PaymentMethod,
        until: Instant? = nil
    ) {
        self.order = order
        self.buyer = buyer
        self.lines = lines
        self.total = total
        self.pickup = pickup
        self.payment = payment
        self.until = until
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
        buyer = try json.get("buyer")
        lines = try json.get("lines")
        total = try json.get("total")
        pickup = try json.get("pickup")
        payment = try json.get("payment")
        until = try json.find("until")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
        json.field("buyer", buyer)
        json.field("lines", lines)
        json.field("total", total)
        json.field("pickup", pickup)
        json.field("payment", payment)
        json.field("until", ifPresent: until)
    }
}
