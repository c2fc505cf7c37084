public import EventSourcing
public import JSON
public import Vocabulary

/// The stock reserved for a cart was released.
public struct CartReleased: Event, Equatable {
    public static let name = "farm.furrow.orders.cart-released.v1"

    public var buyer: PersonID
    public var why: CartReleaseReason

    public init(buyer: PersonID, why: CartReleaseReason) {
        self.buyer = buyer
        self.why = why
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        buyer = try json.get("buyer")
        why = try json.get("why")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("buyer", buyer)
        json.field("why", why)
    }
}
