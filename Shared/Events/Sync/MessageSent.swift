public import EventSourcing
public import JSON
public import Vocabulary

/// What a fact asked to be said outside was said, and taken there.
public struct MessageSent: Event, Equatable {
    public static let name = "farm.furrow.sync.message-sent.v1"

    /// The id of the fact that asked for it; it was also the key of what was sent.
    public var message: UUID
    /// To whom: `sandbox`, `mail`.
    public var to: String

    public init(message: UUID, to: String) {
        self.message = message
        self.to = to
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        message = try json.get("message")
        to = try json.get("to")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("message", message)
        json.field("to", to)
    }
}
