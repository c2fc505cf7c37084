public import EventSourcing
public import JSON
public import Vocabulary

/// Part of a lot became a separate lot.
public struct LotSplit: Event, Equatable {
    public static let name = "farm.furrow.trace.lot-split.v1"

    public var lot: LotID
    public var into: LotID
    public var grams: Int

    public init(lot: LotID, into: LotID, grams: Int) {
        self.lot = lot
        self.into = into
        self.grams = grams
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        into = try json.get("into")
        grams = try json.get("grams")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("into", into)
        json.field("grams", grams)
    }
}
