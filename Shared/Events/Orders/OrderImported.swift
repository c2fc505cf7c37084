public import EventSourcing
public import JSON
public import Vocabulary

/// A past order from another system; it changes no stock and no payments, but is used for recommendations.
public struct OrderImported: Event, Equatable {
    public static let name = "farm.furrow.orders.order-imported.v1"

    /// A product and the number of units bought.
    public struct Line: Sendable, Equatable, JSONReadable, JSONWritable {
        public var product: ProductID
        public var quantity: Int

        public init(product: ProductID, quantity: Int) {
            self.product = product
            self.quantity = quantity
        }

        public init(json: borrowing JSONValue) throws(JSONError) {
            product = try json.get("product")
            quantity = try json.get("quantity")
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("product", product)
                json.field("quantity", quantity)
            }
        }
    }

    public var order: OrderID
    /// The buyer; the person's data, if any, is in a vault.
    public var buyer: PersonID
    public var lines: [Line]

    public init(order: OrderID, buyer: PersonID, lines: [Line]) {
        self.order = order
        self.buyer = buyer
        self.lines = lines
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        order = try json.get("order")
        buyer = try json.get("buyer")
        lines = try json.get("lines")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("order", order)
        json.field("buyer", buyer)
        json.field("lines", lines)
    }
}
