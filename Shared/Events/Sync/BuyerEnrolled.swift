public import EventSourcing
public import JSON
public import Vocabulary

/// A buyer's account was created; the person's data is in the vault.
public struct BuyerEnrolled: Event, Equatable {
    public static let name = "farm.furrow.sync.buyer-enrolled.v1"

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
