public import EventSourcing
public import JSON

/// A label key was revoked: labels signed with it are invalid.
public struct LabelKeyRevoked: Event, Equatable {
    public static let name = "farm.furrow.trace.label-key-revoked.v1"

    public var kid: String
    public var reason: String

    public init(kid: String, reason: String) {
        self.kid = kid
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        kid = try json.get("kid")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("kid", kid)
        json.field("reason", reason)
    }
}
