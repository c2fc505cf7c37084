public import EventSourcing
public import JSON
public import Vocabulary

/// An alarm was cleared: the value is back inside its limit, or the alarm is no longer evaluated.
///
/// It is not evaluated after its point or rule was moved or disabled. Then `value` is the value that raised it.
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
