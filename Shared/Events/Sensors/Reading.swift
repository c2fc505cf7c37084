public import JSON
public import Vocabulary

/// One quantity of a report and its value in the quantity's unit.
public struct Reading: Sendable, Equatable, JSONReadable, JSONWritable {
    public var quantity: Quantity
    public var value: Double

    public init(_ quantity: Quantity, _ value: Double) {
        self.quantity = quantity
        self.value = value
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        var members = try JSONMembers(of: json)
        quantity = try members.get("quantity")
        value = try members.get("value")
        let unit: String = try members.get("unit")
        guard unit == quantity.unit else { throw json.error("expected the unit \(quantity.unit)") }
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("quantity", quantity)
            json.member("value", value)
            json.member("unit", quantity.unit)
        }
    }
}
