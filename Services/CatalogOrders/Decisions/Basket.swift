import Events
import Vocabulary

/// The priced lines of a cart or order, their total, and the boxes they take from each lot. A pure value.
struct Basket: Sendable, Equatable {
    let lines: [OrderLine]
    let total: Money

    /// The reasons why a basket is refused.
    enum Refusal: Error, Equatable, Sendable {
        case empty
        case tooManyLines
        case quantity(OfferID)
        case unknown(OfferID)
        /// The offer cannot be bought.
        case closed(OfferID, Closing)
        case notThere(OfferID, PickupID)
        case currencies
        case tooDear
    }

    /// The price and availability of an offer.
    struct Priced: Sendable, Equatable {
        var product: ProductID
        var farm: FarmID
        var lot: LotID
        var price: Money
        var takes: Int
        var pickups: [PickupID]
        var closing: Closing?
    }

    /// The reasons why an offer cannot be bought.
    enum Closing: Sendable, Equatable {
        case withdrawn
        case over
        /// Its lot has left the farm.
        case gone
        /// An event of its lot is parked, so the lot's status is not known.
        case waiting
        /// The farm has to release its lot first.
        case held
        case recalled(String)
    }

    /// Prices the items and merges those of the same offer into one line. Throws if an item cannot be bought.
    ///
    /// Lines are in the order in which their offers first occur.
    ///
    /// - Parameters:
    ///   - pickup: the pick-up point, or nil if it is not chosen yet.
    ///   - offer: returns an offer, or nil if it is unknown.
    init(_ wishes: [CartItem], at pickup: PickupID?, offer: (OfferID) -> Priced?) throws(Refusal) {
        var wanted: [CartItem] = []
        for wish in wishes {
            guard (1...MarketLimits.quantity).contains(wish.quantity) else { throw .quantity(wish.offer) }
            if let index = wanted.firstIndex(where: { $0.offer == wish.offer }) {
                wanted[index].quantity += wish.quantity
            } else {
                wanted.append(wish)
            }
            guard wanted.count <= MarketLimits.lines else { throw .tooManyLines }
        }
        var lines: [OrderLine] = []
        for wish in wanted {
            guard wish.quantity <= MarketLimits.quantity else { throw .quantity(wish.offer) }
            guard let priced = offer(wish.offer) else { throw .unknown(wish.offer) }
            if let closing = priced.closing { throw .closed(wish.offer, closing) }
            if let pickup, !priced.pickups.isEmpty, !priced.pickups.contains(pickup) {
                throw .notThere(wish.offer, pickup)
            }
            guard let amount = priced.price.times(wish.quantity) else { throw .tooDear }
            lines.append(
                OrderLine(
                    offer: wish.offer, product: priced.product, lot: priced.lot, farm: priced.farm,
                    quantity: wish.quantity, boxes: wish.quantity * priced.takes, unitPrice: priced.price,
                    amount: amount))
        }
        guard let first = lines.first else { throw .empty }
        guard lines.allSatisfy({ $0.unitPrice.currency == first.unitPrice.currency }) else { throw .currencies }
        guard let total = Money.sum(lines.lazy.map(\.amount)) else { throw .tooDear }
        self.lines = lines
        self.total = total
    }
}

extension [OrderLine] {
    /// The boxes that the lines take from each lot, ordered by lot.
    var boxes: [(lot: LotID, boxes: Int)] {
        var sums: [LotID: Int] = [:]
        for line in self {
            if let lot = line.lot { sums[lot, default: 0] += line.boxes }
        }
        return sums.sorted { $0.key < $1.key }.map { (lot: $0.key, boxes: $0.value) }
    }

    func boxes(of lot: LotID) -> Int {
        reduce(0) { $0 + ($1.lot == lot ? $1.boxes : 0) }
    }
}
