public import EventSourcing
public import JSON
public import Vocabulary

/// What a fact asked to be said outside was refused there, or nobody took it for too long.
public struct MessageGaveUp: Event, Equatable {
    public static let name = "farm.furrow.sync.message-gave-up.v1"

    /// The id of the fact that asked for it.
    public var message: UUID
    /// To whom: `sandbox`, `mail`.
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
