import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for offers. An offer sells a product from one lot at a price.
extension MarketCommands {
    func publishOffer(_ body: RequestBody) throws(Problem) -> Outcome {
        let (product, row) = try product(body)
        let lot = try lot(body)
        guard !lot.holds.isHeld else {
            throw Problem(409, "held", "Lot \(lot.key) is held; release it on its page before you sell it.")
        }
        guard lot.farm == row.farm else {
            throw Problem(409, "another-farm", "Lot \(lot.key) is of farm \(lot.farm), the product of \(row.farm).")
        }
        let offer = OfferID(try body.has("offer") ? body.name("offer") : name("f"))
        guard tables.get(OfferRow.self, offer.rawValue) == nil else {
            throw Problem(409, "known", "There is an offer \(offer) already.")
        }
        guard tables.offers(of: product.rawValue, onSaleAt: now).count < MarketLimits.offers else {
            throw Problem(
                409, "too-many-offers",
                "A product has \(MarketLimits.offers) offers at a time at most; close one first.")
        }
        let takes: Int = try body.find("takes") ?? 1
        guard (1...MarketLimits.boxesTaken).contains(takes) else {
            throw Problem(400, "malformed", "takes: 1 to \(MarketLimits.boxesTaken) boxes a unit.")
        }
        let until: Instant? = try body.find("until")
        if let until, until <= now {
            throw Problem(422, "in-the-past", "until: \(until) is over; it is \(now). Nobody could order any more.")
        }
        let event = OfferPublished(
            offer: offer, product: product, lot: LotID(lot.key), price: try money(body, "price"), takes: takes,
            pickups: try pickups(body), until: until)
        return made(event, "offer/\(offer)", farm: row.farm) { $0.field("offer", offer) }
    }

    func repriceOffer(_ body: RequestBody) throws(Problem) -> Outcome {
        let (offer, row) = try offer(body)
        let price = try money(body, "price")
        guard price.currency == row.price.currency else {
            throw Problem(409, "another-currency", "This offer is in \(row.price.currency); publish another one.")
        }
        let event = OfferRepriced(offer: offer, price: price)
        return made(event, "offer/\(offer)", farm: row.farm, status: 200) { $0.field("offer", offer) }
    }

    func withdrawOffer(_ body: RequestBody) throws(Problem) -> Outcome {
        let (offer, row) = try offer(body)
        let event = OfferWithdrawn(offer: offer, reason: try optionalReason(body))
        return made(event, "offer/\(offer)", farm: row.farm) { $0.field("offer", offer) }
    }

    private func offer(_ body: RequestBody) throws(Problem) -> (OfferID, OfferRow) {
        let offer = OfferID(try body.name("offer"))
        guard let row = tables.get(OfferRow.self, offer.rawValue) else {
            throw Problem(404, "unknown-offer", "There is no offer \(offer).")
        }
        guard !row.isWithdrawn else { throw Problem(409, "withdrawn", "This offer was withdrawn already.") }
        return (offer, row)
    }

    private func pickups(_ body: RequestBody) throws(Problem) -> [PickupID] {
        let names: [String] = try body.find("pickups") ?? []
        guard names.count <= MarketLimits.pickups else {
            throw Problem(400, "malformed", "pickups: \(MarketLimits.pickups) at most; none means everywhere.")
        }
        return try names.map { name throws(Problem) in try pickup(named: name) }
    }
}
