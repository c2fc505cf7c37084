public import EventSourcing
public import JSON
public import Vocabulary

/// A recorded activity was corrected, with the reason; the original event stays.
public struct ActivityCorrected: Event, Equatable {
    public static let name = "farm.furrow.trace.activity-corrected.v1"

    public var activity: ActivityID
    public var kind: ActivityKind
    public var happened: Instant
    public var details: ActivityDetails
    public var reason: String

    public init(activity: ActivityID, kind: ActivityKind, happened: Instant, details: ActivityDetails, reason: String) {
        self.activity = activity
        self.kind = kind
        self.happened = happened
        self.details = details
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        activity = try json.get("activity")
        kind = try json.get("kind")
        happened = try json.get("happened")
        details = try json.get("details")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("activity", activity)
        json.field("kind", kind)
        json.field("happened", happened)
        json.field("details", details)
        json.field("reason", reason)
    }
}
