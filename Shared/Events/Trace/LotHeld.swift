public import EventSourcing
public import JSON
public import Vocabulary

/// A lot was put on hold: it must not be labelled, sold or handed over until a person releases it.
///
/// It was harvested before the waiting time of an activity on its plot was over.
public struct LotHeld: Event, Equatable {
    public static let name = "farm.furrow.trace.lot-held.v1"

    public var lot: LotID
    /// The lots that were split off it, directly or indirectly; they are in the same state.
    public var includes: [LotID]
    /// The activity whose waiting time was not over.
    public var activity: ActivityID
    /// When the waiting time of the activity ends.
    public var until: Instant
    public var reason: String

    public init(lot: LotID, includes: [LotID], activity: ActivityID, until: Instant, reason: String) {
        self.lot = lot
        self.includes = includes
        self.activity = activity
        self.until = until
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        includes = try json.get("includes")
        activity = try json.get("activity")
        until = try json.get("until")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("includes", includes)
        json.field("activity", activity)
        json.field("until", until)
        json.field("reason", reason)
    }
}
