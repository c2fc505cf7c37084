import Events
import Vocabulary

/// What somebody wants: so many units of an offer.
struct CartItem: Sendable, Equatable {
    var offer: OfferID
    var quantity: Int
}

/// What wishes come to: lines with their prices, their sum, and how many boxes of which lot they take. Pure.
struct Basket: Sendable, Equatable {
    let lines: [OrderLine]
    let total: Money

    /// Why there is no such basket.
    enum Refusal: Error, Equatable, Sendable {
        case empty
        case tooManyLines
        case quantity(OfferID)
        case unknown(OfferID)
        /// It can't be bought any more, and why.
        case closed(OfferID, Closing)
        case notThere(OfferID, PickupID)
        case currencies
        case tooDear
    }

    /// An offer as the basket needs to know it.
    struct Priced: Sendable, Equatable {
        var product: ProductID
        var farm: FarmID
        var lot: LotID
        var price: Money
        var takes: Int
        var pickups: [PickupID]
        var closing: Closing?
    }

    /// Why an offer can't be bought.
    enum Closing: Sendable, Equatable {
        case withdrawn
        case over
        /// Its lot has left the farm.
        case gone
        /// News of its lot could not be used yet.
        case waiting
        /// The farm has to release its lot first.
        case held
        case recalled(String)
    }

    /// Wishes for one offer are one line; lines stand in the order in which their offers were first wished for.
    ///
    /// - Parameter pickup: where it is to be picked up, if that is known yet.
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
    /// How many boxes of each lot they take, all lines of a lot together; in order of the lots.
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
