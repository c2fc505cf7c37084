public import EventSourcing
public import JSON
public import Vocabulary

/// The story of a lot as it stood, to be shown to whoever scans its label, with a proof.
public struct PassportIssued: Event, Equatable {
    public static let name = "farm.furrow.trace.passport-issued.v1"

    public var lot: LotID
    /// The story takes in the hub up to here.
    public var hubPosition: Position
    public var passport: JSONAny

    public init(lot: LotID, hubPosition: Position, passport: JSONAny) {
        self.lot = lot
        self.hubPosition = hubPosition
        self.passport = passport
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        hubPosition = try json.get("hubPosition")
        passport = try json.get("passport")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("hubPosition", hubPosition)
        json.field("passport", passport)
    }
}
