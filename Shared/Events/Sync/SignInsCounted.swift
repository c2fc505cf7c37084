public import EventSourcing
public import JSON
public import Vocabulary

/// The number of sign-ins to an account, and of refused attempts, within one minute.
public struct SignInsCounted: Event, Equatable {
    public static let name = "farm.furrow.sync.sign-ins-counted.v1"

    /// The account's person; nil for addresses without an account, and for accounts beyond the limit of one minute.
    public var person: PersonID?
    public var done: Int
    public var refused: Int

    public init(person: PersonID? = nil, done: Int, refused: Int) {
        self.person = person
        self.done = done
        self.refused = refused
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        person = try json.find("person")
        done = try json.get("done")
        refused = try json.get("refused")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("person", ifPresent: person)
        json.field("done", done)
        json.field("refused", refused)
    }
}
