public import EventSourcing
public import JSON
public import Vocabulary

/// A lot weighed something else than was written down when it was harvested. The first record stays.
public struct HarvestCorrected: Event, Equatable {
    public static let name = "farm.furrow.trace.harvest-corrected.v1"

    public var lot: LotID
    /// What was harvested, all of it.
    public var grams: Int
    public var reason: String

    public init(lot: LotID, grams: Int, reason: String) {
        self.lot = lot
        self.grams = grams
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        grams = try json.get("grams")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("grams", grams)
        json.field("reason", reason)
    }
}
