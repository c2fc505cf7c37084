public import EventSourcing
public import JSON
public import Vocabulary

/// A lot was recalled: it must not be sold or eaten, and its buyers must be warned.
public struct LotRecalled: Event, Equatable {
    public static let name = "farm.furrow.trace.lot-recalled.v1"

    public var lot: LotID
    /// The lots that were split off it, directly or indirectly.
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
