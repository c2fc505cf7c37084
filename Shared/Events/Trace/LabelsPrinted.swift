public import EventSourcing
public import JSON
public import Vocabulary

/// Labels of a lot were printed.
public struct LabelsPrinted: Event, Equatable {
    public static let name = "farm.furrow.trace.labels-printed.v1"

    public var lot: LotID
    public var kid: String
    public var count: Int

    public init(lot: LotID, kid: String, count: Int) {
        self.lot = lot
        self.kid = kid
        self.count = count
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        kid = try json.get("kid")
        count = try json.get("count")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("kid", kid)
        json.field("count", count)
    }
}
