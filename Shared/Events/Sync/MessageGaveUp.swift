public import EventSourcing
public import JSON
public import Vocabulary

/// An outgoing message requested by an event failed: it was refused, or not accepted in time.
public struct MessageGaveUp: Event, Equatable {
    public static let name = "farm.furrow.sync.message-gave-up.v1"

    /// The id of the event that requested it.
    public var message: UUID
    /// The receiver: `sandbox`, `mail`.
    public var to: String
    public var reason: String

    public init(message: UUID, to: String, reason: String) {
        self.message = message
        self.to = to
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        message = try json.get("message")
        to = try json.get("to")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("message", message)
        json.field("to", to)
        json.field("reason", reason)
    }
}
