public import EventSourcing
public import JSON
public import Vocabulary

/// A store for lots was created.
public struct StoreOpened: Event, Equatable {
    public static let name = "farm.furrow.trace.store-opened.v1"

    public var store: StoreID
    public var title: String
    public var cold: Bool

    public init(store: StoreID, title: String, cold: Bool) {
        self.store = store
        self.title = title
        self.cold = cold
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        store = try json.get("store")
        title = try json.get("title")
        cold = try json.get("cold")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("store", store)
        json.field("title", title)
        json.field("cold", cold)
    }
}
