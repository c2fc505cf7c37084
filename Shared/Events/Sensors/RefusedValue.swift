public import JSON
public import Vocabulary

/// One implausible value and the reason.
public struct RefusedValue: Sendable, Equatable, JSONReadable, JSONWritable {
    public var quantity: Quantity
    /// The value; nil if the bytes were no finite number.
    public var value: Double?
    /// The reason: `out-of-range`, `failure-code`, `no-such-channel`.
    public var reason: String

    public init(_ quantity: Quantity, _ value: Double?, because reason: String) {
        self.quantity = quantity
        self.value = value
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        quantity = try json.get("quantity")
        value = try json.find("value")
        reason = try json.get("reason")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("quantity", quantity)
            json.member("value", ifPresent: value)
            json.member("unit", quantity.unit)
            json.member("reason", reason)
        }
    }
}
