public import EventSourcing
public import JSON
public import Vocabulary

/// A value was outside its limit.
public struct AlarmRaised: Event, Equatable {
    public static let name = "farm.furrow.sensors.alarm-raised.v1"

    public var rule: RuleID
    public var point: PointID
    public var place: Place
    public var device: DeviceID
    public var quantity: Quantity
    public var value: Double
    public var limit: Double

    public init(
        rule: RuleID, point: PointID, place: Place, device: DeviceID, quantity: Quantity, value: Double, limit: Double
    ) {
        self.rule = rule
        self.point = point
        self.place = place
        self.device = device
        self.quantity = quantity
        self.value = value
        self.limit = limit
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        rule = try json.get("rule")
        point = try json.get("point")
        place = try json.get("place")
        device = try json.get("device")
        quantity = try json.get("quantity")
        value = try json.get("value")
        limit = try json.get("limit")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("rule", rule)
        json.field("point", point)
        json.field("place", place)
        json.field("device", device)
        json.field("quantity", quantity)
        json.field("value", value)
        json.field("limit", limit)
    }
}
