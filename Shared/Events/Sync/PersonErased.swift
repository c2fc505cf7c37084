public import EventSourcing
public import JSON
public import Vocabulary

/// All personal data of a person was deleted.
public struct PersonErased: Event, Equatable {
    public static let name = "farm.furrow.sync.person-erased.v1"

    public var person: PersonID

    public init(person: PersonID) {
        self.person = person
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        person = try json.get("person")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("person", person)
    }
}
