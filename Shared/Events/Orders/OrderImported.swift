public import EventSourcing
public import JSON
public import Vocabulary

/// An order of the past that was placed and collected elsewhere: it takes no stock and no money here, and still tells
/// what its buyer likes.
public struct OrderImported: Event, Equatable {
    public static let name = "farm.furrow.orders.order-imported.v1"

    /// What was bought, and how many units of it.
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
    /// Who that is stands in a vault, if anywhere.
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
