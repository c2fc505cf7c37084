public import EventSourcing
public import JSON
public import Vocabulary

/// A product of one lot was offered at a price, as long as the lot's stock lasts.
public struct OfferPublished: Event, Equatable {
    public static let name = "farm.furrow.catalog.offer-published.v1"

    public var offer: OfferID
    public var product: ProductID
    public var lot: LotID
    /// The price of one unit of the product.
    public var price: Money
    /// The number of boxes of the lot in one unit, 1 or more.
    public var takes: Int
    /// The pickup places; empty means all.
    public var pickups: [PickupID]
    /// The end of the offer; nil if it has none.
    public var until: Instant?

    public init(
        offer: OfferID, product: ProductID, lot: LotID, price: Money, takes: Int, pickups: [PickupID],
        until: Instant? = nil
    ) {
        self.offer = offer
        self.product = product
        self.lot = lot
        self.price = price
        self.takes = takes
        self.pickups = pickups
        self.until = until
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        offer = try json.get("offer")
        product = try json.get("product")
        lot = try json.get("lot")
        price = try json.get("price")
        takes = try json.get("takes")
        pickups = try json.get("pickups")
        until = try json.find("until")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("offer", offer)
        json.field("product", product)
        json.field("lot", lot)
        json.field("price", price)
        json.field("takes", takes)
        json.field("pickups", pickups)
        json.field("until", ifPresent: until)
    }
}
