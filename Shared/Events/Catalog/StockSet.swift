public import EventSourcing
public import JSON
public import Vocabulary

/// The stock of a lot was counted: all its boxes for sale, reserved and ordered ones included.
public struct StockSet: Event, Equatable {
    public static let name = "farm.furrow.catalog.stock-set.v1"

    public var lot: LotID
    public var boxes: Int
    public var reason: String?

    public init(lot: LotID, boxes: Int, reason: String? = nil) {
        self.lot = lot
        self.boxes = boxes
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        boxes = try json.get("boxes")
        reason = try json.find("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("boxes", boxes)
        json.field("reason", ifPresent: reason)
    }
}
