public import EventSourcing
public import JSON
public import Vocabulary

/// A lot must not be eaten: nobody may sell it any more, and whoever has of it is to be told.
public struct LotRecalled: Event, Equatable {
    public static let name = "farm.furrow.trace.lot-recalled.v1"

    public var lot: LotID
    /// The lots that were split off it, and off those.
    public var includes: [LotID]
    public var reason: String

    public init(lot: LotID, includes: [LotID], reason: String) {
        self.lot = lot
        self.includes = includes
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        includes = try json.get("includes")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("includes", includes)
        json.field("reason", reason)
    }
}
