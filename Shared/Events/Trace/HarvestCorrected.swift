public import EventSourcing
public import JSON
public import Vocabulary

/// The recorded weight of a lot was corrected; the original event stays.
public struct HarvestCorrected: Event, Equatable {
    public static let name = "farm.furrow.trace.harvest-corrected.v1"

    public var lot: LotID
    /// The whole harvested weight.
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
