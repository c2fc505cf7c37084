import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for offers. An offer sells a product from one lot at a price.
extension MarketCommands {
    func publishOffer(_ command: PublishOffer) throws(Problem) -> Outcome {
        let product = command.product
        let row = try self.product(product)
        let lot = try lot(command.lot)
        guard !lot.holds.isHeld else {
            throw Problem(409, "held", "Lot \(lot.key) is held; release it on its page before you sell it.")
        }
        guard lot.farm == row.farm else {
            throw Problem(409, "another-farm", "Lot \(lot.key) is of farm \(lot.farm), the product of \(row.farm).")
        }
        let offer = command.offer ?? OfferID(name("f"))
        guard tables.get(OfferRow.self, offer.rawValue) == nil else {
            throw Problem(409, "known", "There is an offer \(offer) already.")
        }
        guard tables.offers(of: product.rawValue, onSaleAt: now).count < MarketLimits.offers else {
            throw Problem(
                409, "too-many-offers",
                "A product has \(MarketLimits.offers) offers at a time at most; close one first.")
        }
        if let until = command.until, until <= now {
            throw Problem(422, "in-the-past", "until: \(until) is over; it is \(now). Nobody could order any more.")
        }
        let event = OfferPublished(
            offer: offer, product: product, lot: command.lot, price: command.price, takes: command.takes,
            pickups: try command.pickups.map { name throws(Problem) in try pickup(name).pickup },
            until: command.until)
        return made(event, "offer/\(offer)", farm: row.farm) { $0.field("offer", offer) }
    }

    func repriceOffer(_ command: RepriceOffer) throws(Problem) -> Outcome {
        let offer = command.offer
        let row = try self.offer(offer)
        guard command.price.currency == row.price.currency else {
            throw Problem(409, "another-currency", "This offer is in \(row.price.currency); publish another one.")
        }
        let event = OfferRepriced(offer: offer, price: command.price)
        return made(event, "offer/\(offer)", farm: row.farm, status: 200) { $0.field("offer", offer) }
    }

    func withdrawOffer(_ command: WithdrawOffer) throws(Problem) -> Outcome {
        let offer = command.offer
        let row = try self.offer(offer)
        let event = OfferWithdrawn(offer: offer, reason: command.reason)
        return made(event, "offer/\(offer)", farm: row.farm) { $0.field("offer", offer) }
    }

    private func offer(_ offer: OfferID) throws(Problem) -> OfferRow {
        guard let row = tables.get(OfferRow.self, offer.rawValue) else {
            throw Problem(404, "unknown-offer", "There is no offer \(offer).")
        }
        guard !row.isWithdrawn else { throw Problem(409, "withdrawn", "This offer was withdrawn already.") }
        return row
    }
}
