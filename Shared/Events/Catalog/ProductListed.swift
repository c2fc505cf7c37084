public import EventSourcing
public import JSON
public import Vocabulary

/// A farm added a product to its range; offers give the lot and the price.
public struct ProductListed: Event, Equatable {
    public static let name = "farm.furrow.catalog.product-listed.v1"

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
