public import EventSourcing
public import JSON
public import Vocabulary

/// An alarm rule of a place was set, replacing an earlier one of the same id.
public struct RuleSet: Event, Equatable {
    public static let name = "farm.furrow.sensors.rule-set.v1"

    public var rule: RuleID
    public var place: Place
    public var quantity: Quantity
    /// The upper limit; a value above it raises an alarm.
    public var above: Double?
    /// The lower limit; a value below it raises an alarm.
    public var below: Double?
    /// How far inside the limit a value must be to clear the alarm.
    public var hysteresis: Double
    public var enabled: Bool

    public init(
        rule: RuleID, place: Place, quantity: Quantity, above: Double? = nil, below: Double? = nil,
        hysteresis: Double, enabled: Bool
    ) {
        self.rule = rule
        self.place = place
        self.quantity = quantity
        self.above = above
        self.below = below
        self.hysteresis = hysteresis
        self.enabled = enabled
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        rule = try json.get("rule")
        place = try json.get("place")
        quantity = try json.get("quantity")
        above = try json.find("above")
        below = try json.find("below")
        hysteresis = try json.get("hysteresis")
        enabled = try json.get("enabled")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("rule", rule)
        json.field("place", place)
        json.field("quantity", quantity)
        json.field("above", ifPresent: above)
        json.field("below", ifPresent: below)
        json.field("hysteresis", hysteresis)
        json.field("enabled", enabled)
    }
}
