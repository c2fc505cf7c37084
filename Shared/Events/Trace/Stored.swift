public import EventSourcing
public import JSON
public import Vocabulary

/// A lot was moved into a store.
public struct Stored: Event, Equatable {
    public static let name = "farm.furrow.trace.stored.v1"

    public var lot: LotID
    public var store: StoreID

    public init(lot: LotID, store: StoreID) {
        self.lot = lot
        self.store = store
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        store = try json.get("store")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("lot", lot)
        json.field("store", store)
    }
}
