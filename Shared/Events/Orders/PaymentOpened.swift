public import EventSourcing
public import JSON
public import Vocabulary

/// The payment provider opened a payment and waits for the buyer.
public struct PaymentOpened: Event, Equatable {
    public static let name = "farm.furrow.orders.payment-opened.v1"

    public var payment: PaymentID
    public var order: OrderID
    /// The provider's id of the payment.
    public var reference: String
    /// The address of the page on which the buyer pays.
    public var page: String?

    public init(payment: PaymentID, order: OrderID, reference: String, page: String? = nil) {
        self.payment = payment
        self.order = order
        self.reference = reference
        self.page = page
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        payment = try json.get("payment")
        order = try json.get("order")
        reference = try json.get("reference")
        page = try json.find("page")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("payment", payment)
        json.field("order", order)
        json.field("reference", reference)
        json.field("page", ifPresent: page)
    }
}
