public import EventSourcing
public import JSON
public import Vocabulary

/// A lot was packed into boxes, each with an unguessable serial number.
public struct Packed: Event, Equatable {
    public static let name = "farm.furrow.trace.packed.v1"

    public var lot: LotID
    public var gramsEach: Int
    /// The serial numbers: 13 upper-case letters and digits each.
    public var serials: [String]

    public init(lot: LotID, gramsEach: Int, serials: [String]) {
        self.lot = lot
        self.gramsEach = gramsEach
        self.serials = serials
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        gramsEach = try json.get("gramsEach")
        serials = try json.get("serials")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("gramsEach", gramsEach)
        json.field("serials", serials)
    }
}
