public import EventSourcing
public import JSON
public import Vocabulary

/// A lot was blocked: none of it can be sold any more.
public struct LotBlocked: Event, Equatable {
    public static let name = "farm.furrow.catalog.lot-blocked.v1"

    public var lot: LotID
    public var reason: String

    public init(lot: LotID, reason: String) {
        self.lot = lot
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("reason", reason)
    }
}
