public import EventSourcing
public import JSON
public import Vocabulary

/// An outgoing message requested by an event was accepted by its receiver.
public struct MessageSent: Event, Equatable {
    public static let name = "farm.furrow.sync.message-sent.v1"

    /// The id of the event that requested it, which was also its idempotency key.
    public var message: UUID
    /// The receiver: `sandbox`, `mail`.
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
