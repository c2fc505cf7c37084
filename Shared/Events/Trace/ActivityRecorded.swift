public import EventSourcing
public import JSON
public import Vocabulary

/// A grower's activity on a plot; the event's time is when it was done.
public struct ActivityRecorded: Event, Equatable {
    public static let name = "farm.furrow.trace.activity-recorded.v1"

    public var activity: ActivityID
    public var plot: PlotID
    public var kind: ActivityKind
    public var details: ActivityDetails

    public init(activity: ActivityID, plot: PlotID, kind: ActivityKind, details: ActivityDetails) {
        self.activity = activity
        self.plot = plot
        self.kind = kind
        self.details = details
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        activity = try json.get("activity")
        plot = try json.get("plot")
        kind = try json.get("kind")
        details = try json.get("details")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("activity", activity)
        json.field("plot", plot)
        json.field("kind", kind)
        json.field("details", details)
    }
}
