public import EventSourcing
public import JSON
public import Vocabulary

/// A staff account was created; the person's data is in the vault.
public struct StaffEnrolled: Event, Equatable {
    public static let name = "farm.furrow.sync.staff-enrolled.v1"

    public var person: PersonID
    public var role: Role

    public init(person: PersonID, role: Role) {
        self.person = person
        self.role = role
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        person = try json.get("person")
        role = try json.get("role")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("person", person)
        json.field("role", role)
    }
}
