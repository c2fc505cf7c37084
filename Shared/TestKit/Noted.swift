public import EventSourcing
public import JSON

/// An event of no family, for tests of event storage and transport: a number and a text of any length.
public struct Noted: Event, Equatable {
    /// The event's name.
    public static let name = "farm.furrow.test.noted.v1"

    /// A number.
    public var number: Int
    /// A text.
    public var text: String

    /// Creates an event.
    public init(_ number: Int, _ text: String = "") {
        self.number = number
        self.text = text
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        number = try json.get("number")
        text = try json.get("text")
    }

    /// Writes the members.
    public func write(fields json: inout JSONWriter) {
        json.field("number", number)
        json.field("text", text)
    }
}
