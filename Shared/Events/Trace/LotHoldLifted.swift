public import EventSourcing
public import JSON
public import Vocabulary

/// A hold was lifted: after a correction, the waiting time of the activity was over at the harvest.
public struct LotHoldLifted: Event, Equatable {
    public static let name = "farm.furrow.trace.lot-hold-lifted.v1"

    public var lot: LotID
    /// The lots that were split off it, directly or indirectly; they are in the same state.
    public var includes: [LotID]
    /// The activity that was the reason of the hold.
    public var activity: ActivityID
    public var reason: String

    public init(lot: LotID, includes: [LotID], activity: ActivityID, reason: String) {
        self.lot = lot
        self.includes = includes
        self.activity = activity
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        includes = try json.get("includes")
        activity = try json.get("activity")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("includes", includes)
        json.field("activity", activity)
        json.field("reason", reason)
    }
}
