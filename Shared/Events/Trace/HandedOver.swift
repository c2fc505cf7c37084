public import EventSourcing
public import JSON
public import Vocabulary

/// A lot left the farm.
public struct HandedOver: Event, Equatable {
    public static let name = "farm.furrow.trace.handed-over.v1"

    public var lot: LotID
    /// The recipient: a trade partner, not a person.
    public var to: String
    /// The number of the delivery note.
    public var document: String?

    public init(lot: LotID, to: String, document: String? = nil) {
        self.lot = lot
        self.to = to
        self.document = document
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        to = try json.get("to")
        document = try json.find("document")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("to", to)
        json.field("document", ifPresent: document)
    }
}
