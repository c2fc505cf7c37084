public import EventSourcing
public import JSON
public import Vocabulary

/// A pickup place was closed.
public struct PickupClosed: Event, Equatable {
    public static let name = "farm.furrow.catalog.pickup-closed.v1"

    public var pickup: PickupID
    public var reason: String?

    public init(pickup: PickupID, reason: String? = nil) {
        self.pickup = pickup
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        pickup = try json.get("pickup")
        reason = try json.find("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("pickup", pickup)
        json.field("reason", ifPresent: reason)
    }
}
