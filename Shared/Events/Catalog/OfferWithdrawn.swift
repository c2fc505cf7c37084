public import EventSourcing
public import JSON
public import Vocabulary

/// An offer was withdrawn and can no longer be ordered.
public struct OfferWithdrawn: Event, Equatable {
    public static let name = "farm.furrow.catalog.offer-withdrawn.v1"

    public var offer: OfferID
    public var reason: String?

    public init(offer: OfferID, reason: String? = nil) {
        self.offer = offer
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        offer = try json.get("offer")
        reason = try json.find("reason")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("offer", offer)
        json.field("reason", ifPresent: reason)
    }
}
