public import EventSourcing
public import JSON

/// An event of no family, for tests of what carries events: a number and a text of any length.
public struct Noted: Event, Equatable {
    public static let name = "farm.furrow.test.noted.v1"

    public var number: Int
    public var text: String

    public init(_ number: Int, _ text: String = "") {
        self.number = number
        self.text = text
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        number = try json.get("number")
        text = try json.get("text")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("number", number)
        json.field("text", text)
    }
}
