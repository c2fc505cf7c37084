public import EventSourcing
public import JSON
public import Vocabulary

/// Stock was reserved for a whole cart, replacing its earlier reservation.
public struct CartHeld: Event, Equatable {
    public static let name = "farm.furrow.orders.cart-held.v1"

    public var buyer: PersonID
    public var lines: [OrderLine]
    public var until: Instant

    public init(buyer: PersonID, lines: [OrderLine], until: Instant) {
        self.buyer = buyer
        self.lines = lines
        self.until = until
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        buyer = try json.get("buyer")
        lines = try json.get("lines")
        until = try json.get("until")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("buyer", buyer)
        json.field("lines", lines)
        json.field("until", until)
    }
}
