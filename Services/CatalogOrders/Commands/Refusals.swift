import EventSourcing
import Events
import Vocabulary
import Wire

// The API problems for the refusals of the decision rules.

extension Basket.Refusal {
    func problem(in tables: any Tables) -> Problem {
        func title(_ offer: OfferID) -> String {
            tables.get(OfferRow.self, offer.rawValue).map { tables.title(of: $0.product) } ?? "this offer"
        }
        switch self {
        case .empty: return Problem(400, "malformed", "lines: name at least one offer.")
        case .tooManyLines: return Problem(400, "malformed", "lines: \(MarketLimits.lines) at most; make two orders.")
        case .quantity(let offer):
            return Problem(400, "malformed", "Order 1 to \(MarketLimits.quantity) of \(title(offer)).")
        case .unknown(let offer):
            return Problem(404, "unknown-offer", "There is no offer \(offer.rawValue.prefix(40)).")
        case .closed(let offer, .withdrawn):
            return Problem(409, "withdrawn", "\(title(offer)): what you chose is not offered any more.")
        case .closed(let offer, .waiting):
            return Problem(
                409, "lot-waiting", "\(title(offer)): not to be bought for now; the farm has to check it.", .passing)
        case .closed(let offer, .held):
            return Problem(
                409, "held", "\(title(offer)): not to be bought for now; the farm holds its lot back.", .passing)
        case .closed(let offer, .gone):
            return Problem(409, "handed-over", "\(title(offer)): not to be bought any more; it has left the farm.")
        case .closed(let offer, .over):
            return Problem(409, "offer-over", "\(title(offer)): the time to order is over.")
        case .closed(let offer, .recalled(let reason)):
            return Problem(409, "recalled", "\(title(offer)): recalled, not to be bought (\(reason)).")
        case .notThere(let offer, let pickup):
            let place = tables.get(PickupRow.self, pickup.rawValue)?.place.title ?? pickup.rawValue
            return Problem(409, "not-there", "\(title(offer)): not to be picked up at \(place).")
        case .currencies:
            return Problem(409, "currencies", "These offers are in different currencies; make two orders.")
        case .tooDear: return Problem(422, "too-dear", "That is more money than there is.")
        }
    }
}

extension Tables {
    /// Returns the title of a product, or its identifier if the product is unknown.
    func title(of product: ProductID) -> String {
        get(ProductRow.self, product.rawValue)?.details.title ?? product.rawValue
    }
}

extension Order.Refusal {
    func problem(_ order: OrderID) -> Problem {
        switch self {
        case .unknown: Problem(404, "unknown-order", "There is no order \(order).")
        case .known: Problem(409, "known", "There is an order \(order) already.")
        case .over(.collected): Problem(409, "collected", "This order was collected already.")
        case .over(.cancelled): Problem(409, "cancelled", "This order was cancelled already.")
        case .over(.placed): Problem(409, "placed", "This order is placed already.")
        case .unpaid: Problem(409, "unpaid", "This order is not paid yet.")
        case .paying: Problem(409, "paying", "This order waits for its payment; cancel it and order again.")
        case .inHand: Problem(409, "at-pickup", "This order is paid when it is picked up.")
        case .paid: Problem(409, "paid", "This order is paid.")
        case .inPayment: Problem(409, "in-payment", "The payment of this order is not over yet.")
        case .tooLate: Problem(409, "too-late", "The time to pay this order is over.")
        case .tooOften: Problem(409, "too-often", "Paying was tried often enough; cancel this order and order again.")
        case .dearer: Problem(409, "dearer", "A paid order can't get dearer; make another one for what is missing.")
        case .tooMuch: Problem(409, "too-much", "That is more than can still go back.")
        case .nothing: Problem(400, "malformed", "amount: more than nothing.")
        case .currency: Problem(409, "another-currency", "This order is in another currency.")
        }
    }
}

extension Stock.Refusal {
    func problem(_ lot: LotID) -> Problem {
        switch self {
        case .soldOut(let left):
            Problem(409, "sold-out", left == 0 ? "Sold out." : "Only \(left) boxes of lot \(lot) are left.")
        case .promised(let count):
            Problem(409, "promised", "\(count) boxes of lot \(lot) are promised to buyers already.")
        case .tooMany(let most): Problem(409, "too-many-boxes", "A lot has \(most) boxes for sale at most.")
        case .blocked(let reason): Problem(409, "recalled", "Lot \(lot) can't be sold: \(reason)")
        }
    }
}
