public import EventSourcing
public import JSON
public import Vocabulary

/// The price of an offer changed; placed orders retain their price.
public struct OfferRepriced: Event, Equatable {
    public static let name = "farm.furrow.catalog.offer-repriced.v1"

    public var offer: OfferID
    public var price: Money

    public init(offer: OfferID, price: Money) {
        self.offer = offer
        self.price = price
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        offer = try json.get("offer")
        price = try json.get("price")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("offer", offer)
        json.field("price", price)
    }
}
