public import EventSourcing
public import JSON
public import Vocabulary

/// A product was withdrawn, together with all offers of it.
public struct ProductWithdrawn: Event, Equatable {
    public static let name = "farm.furrow.catalog.product-withdrawn.v1"

    public var product: ProductID
    public var reason: String?

    public init(product: ProductID, reason: String? = nil) {
        self.product = product
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        product = try json.get("product")
        reason = try json.find("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("product", product)
        json.field("reason", ifPresent: reason)
    }
}
