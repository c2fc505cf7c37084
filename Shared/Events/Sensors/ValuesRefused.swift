public import EventSourcing
public import JSON
public import Vocabulary

/// Implausible values of a report; they are in no `Measured`, so no view and no alarm uses them.
public struct ValuesRefused: Event, Equatable {
    public static let name = "farm.furrow.sensors.values-refused.v1"

    public var device: DeviceID
    /// The encoding of the report.
    public var format: String
    public var values: [RefusedValue]
    public var source: String
    /// The original bytes in hexadecimal.
    public var payload: String

    public init(device: DeviceID, format: String, values: [RefusedValue], source: String, payload: String) {
        self.device = device
        self.format = format
        self.values = values
        self.source = source
        self.payload = payload
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        device = try json.get("device")
        format = try json.get("format")
        values = try json.get("values")
        source = try json.get("source")
        payload = try json.get("payload")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("device", device)
        json.field("format", format)
        json.field("values", values)
        json.field("source", source)
        json.field("payload", payload)
    }
}

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
            json.field("quantity", quantity)
            json.field("value", ifPresent: value)
            json.field("unit", quantity.unit)
            json.field("reason", reason)
        }
    }
}
