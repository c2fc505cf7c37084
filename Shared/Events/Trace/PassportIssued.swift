public import EventSourcing
public import JSON
public import Vocabulary

/// The story of a lot at one moment, shown with a proof to everyone who scans its label.
public struct PassportIssued: Event, Equatable {
    public static let name = "farm.furrow.trace.passport-issued.v1"

    public var lot: LotID
    /// The position of the hub up to which events are included.
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
