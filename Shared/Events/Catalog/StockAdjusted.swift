public import EventSourcing
public import JSON
public import Vocabulary

/// The stock of a lot changed for another reason than a sale.
public struct StockAdjusted: Event, Equatable {
    public static let name = "farm.furrow.catalog.stock-adjusted.v1"

    public var lot: LotID
    /// The change in boxes; negative if boxes were removed.
    public var by: Int
    public var reason: String

    public init(lot: LotID, by: Int, reason: String) {
        self.lot = lot
        self.by = by
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        by = try json.get("by")
        reason = try json.get("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("by", by)
        json.field("reason", reason)
    }
}
