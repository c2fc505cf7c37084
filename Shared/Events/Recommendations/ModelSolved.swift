public import EventSourcing
public import JSON

/// A recommendation model was computed from all orders up to a position of the hub.
///
/// The computation is deterministic: repeating it from the log gives a model of the same digest.
public struct ModelSolved: Event, Equatable {
    public static let name = "farm.furrow.recommendations.model-solved.v1"

    /// The position of the hub up to which orders were consumed.
    public var position: Position
    public var products: Int
    public var shoppers: Int
    public var baskets: Int
    /// SHA-256 over the products' names and the bits of all weights, in hex.
    public var digest: String

    public init(position: Position, products: Int, shoppers: Int, baskets: Int, digest: String) {
        self.position = position
        self.products = products
        self.shoppers = shoppers
        self.baskets = baskets
        self.digest = digest
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        position = try json.get("position")
        products = try json.get("products")
        shoppers = try json.get("shoppers")
        baskets = try json.get("baskets")
        digest = try json.get("digest")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("position", position)
        json.field("products", products)
        json.field("shoppers", shoppers)
        json.field("baskets", baskets)
        json.field("digest", digest)
    }
}
