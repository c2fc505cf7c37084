public import EventSourcing
public import JSON
public import Vocabulary

/// The alarm is over: the value is back inside its limit, or nobody watches it any more because the point or the rule
/// was moved or put out of use. Then `value` is the one that raised it.
public struct AlarmCleared: Event, Equatable {
    public static let name = "farm.furrow.sensors.alarm-cleared.v1"

    public var rule: RuleID
    public var point: PointID
    public var place: Place
    public var device: DeviceID
    public var quantity: Quantity
    public var value: Double

    public init(rule: RuleID, point: PointID, place: Place, device: DeviceID, quantity: Quantity, value: Double) {
        self.rule = rule
        self.point = point
        self.place = place
        self.device = device
        self.quantity = quantity
        self.value = value
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        rule = try json.get("rule")
        point = try json.get("point")
        place = try json.get("place")
        device = try json.get("device")
        quantity = try json.get("quantity")
        value = try json.get("value")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("rule", rule)
        json.field("point", point)
        json.field("place", place)
        json.field("device", device)
        json.field("quantity", quantity)
        json.field("value", value)
    }
}
