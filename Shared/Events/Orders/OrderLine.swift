public import JSON
public import Vocabulary

/// One line of a cart or an order, with the price at the time of ordering.
public struct OrderLine: Sendable, Equatable, JSONReadable, JSONWritable {
    public var offer: OfferID?
    public var product: ProductID
    /// The lot from which its boxes are taken.
    public var lot: LotID?
    public var farm: FarmID?
    /// The number of units of the product.
    public var quantity: Int
    /// The number of boxes of the lot for all units.
    public var boxes: Int
    /// The price of one unit.
    public var unitPrice: Money
    /// The price of all units.
    public var amount: Money

    public init(
        offer: OfferID? = nil, product: ProductID, lot: LotID? = nil, farm: FarmID? = nil, quantity: Int, boxes: Int,
        unitPrice: Money, amount: Money
    ) {
        self.offer = offer
        self.product = product
        self.lot = lot
        self.farm = farm
        self.quantity = quantity
        self.boxes = boxes
        self.unitPrice = unitPrice
        self.amount = amount
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        offer = try json.find("offer")
        product = try json.get("product")
        lot = try json.find("lot")
        farm = try json.find("farm")
        quantity = try json.get("quantity")
        boxes = try json.get("boxes")
        unitPrice = try json.get("unitPrice")
        amount = try json.get("amount")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("offer", ifPresent: offer)
            json.field("product", product)
            json.field("lot", ifPresent: lot)
            json.field("farm", ifPresent: farm)
            json.field("quantity", quantity)
            json.field("boxes", boxes)
            json.field("unitPrice", unitPrice)
            json.field("amount", amount)
        }
    }
}
