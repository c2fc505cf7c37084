public import EventSourcing
public import JSON
public import Vocabulary

/// A product is described anew: all of it, as it stands from now on.
public struct ProductChanged: Event, Equatable {
    public static let name = "farm.furrow.catalog.product-changed.v1"

    public var product: ProductID
    public var details: ProductDetails

    public init(product: ProductID, details: ProductDetails) {
        self.product = product
        self.details = details
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        product = try json.get("product")
        details = try json.get("details")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("product", product)
        json.field("details", details)
    }
}
