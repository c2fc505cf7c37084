import EventSourcing
import Events
import Vocabulary

/// Examples of the catalog's and the orders' events.
enum MarketExamples {
    static let all: [any Event] = catalog + orders + payments + [past]

    private static let person: PersonID = "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"
    private static let order: OrderID = "o7k2mzq4hcbxe3ta"
    private static let payment: PaymentID = "p7k2mzq4hcbxe3ta"
    private static let later = Instant(microseconds: 1_777_793_100_000_000)
    private static let picture = String(repeating: "0a", count: 32)

    static func euros(_ cents: Int64) -> Money {
        guard let euro = Currency("EUR") else { preconditionFailure("three capital letters") }
        return Money(cents, euro)
    }

    private static let details = ProductDetails(
        title: "Tomatoes \"Matina\"", unit: "box of 5 kg", category: "vegetables", description: "Vine-ripe, süß 🍅",
        gtin: Examples.gtin, picture: picture)

    private static let lines = [
        OrderLine(
            offer: "tomatoes-may", product: "tomatoes", lot: "L260503-ABCDE", farm: "farm-1", quantity: 2, boxes: 4,
            unitPrice: euros(1290), amount: euros(2580)),
        OrderLine(product: "eggs", quantity: 1, boxes: 0, unitPrice: euros(390), amount: euros(390)),
    ]

    private static let catalog: [any Event] = [
        FarmProfiled(
            title: "Hof Sonne", county: "Greene", region: "TN", street: "1 Mill Road", telephone: "+1 423 555 0100",
            website: "https://farm.test", description: "Since 1911", latitude: 36.1675, longitude: -82.8312,
            picture: picture, hasGoods: true),
        ProductListed(product: "tomatoes", details: details),
        ProductChanged(product: "tomatoes", details: details),
        ProductWithdrawn(product: "tomatoes", reason: "season is over"),
        OfferPublished(
            offer: "tomatoes-may", product: "tomatoes", lot: "L260503-ABCDE", price: euros(1290), takes: 2,
            pickups: ["barn", "market"], until: later),
        OfferRepriced(offer: "tomatoes-may", price: euros(990)),
        OfferWithdrawn(offer: "tomatoes-may", reason: "sold to the canteen"),
        StockSet(lot: "L260503-ABCDE", boxes: 100, reason: "counted"),
        StockAdjusted(lot: "L260503-ABCDE", by: -3, reason: "crushed"),
        LotBlocked(lot: "L260503-ABCDE", reason: "recalled: glass found"),
        StockLevelChanged(lot: "L260503-ABCDE", boxes: 97, held: 2, ordered: 5, free: 90),
        PickupOpened(
            pickup: "barn", title: "At the barn", address: "1 Mill Road", county: "Greene", hours: "Fri 14-18",
            latitude: 36.1675, longitude: -82.8312),
        PickupClosed(pickup: "barn", reason: "winter"),
        FavouriteSet(person: person, favourite: .product("tomatoes")),
        FavouriteUnset(person: person, favourite: .farm("farm-1")),
        PromotionPublished(
            promotion: "ripe",
            rule: PromotionRule(
                title: "Last tomatoes of the week", text: "Fully ripe.", product: "tomatoes", lot: lines[0].lot,
                audience: .favourites, area: PromotionArea(latitude: 36.1675, longitude: -82.8312, metres: 1500),
                county: "Greene", from: later, until: later.advanced(bySeconds: 86_400),
                hours: PromotionHours(weekdays: [5, 6], from: "16:00", to: "19:30", zone: "America/New_York"),
                timesPerDay: 2, people: 100, heldBackPercent: 10, priority: 7)),
        PromotionEnded(promotion: "ripe", why: .reached),
        PromotionShown(promotion: "ripe", person: person, heldBack: false),
        PromotionNotified(promotion: "ripe", people: [person]),
    ]

    private static let orders: [any Event] = [
        CartHeld(buyer: person, lines: lines, until: later),
        CartReleased(buyer: person, why: .expired),
        OrderPlaced(
            order: order, buyer: person, lines: lines, total: euros(2970), pickup: "barn", payment: .sandbox,
            until: later),
        OrderChanged(order: order, lines: [lines[0]], total: euros(2580), pickup: "market"),
        OrderCancelled(order: order, why: .recalled, reason: "glass found"),
        OrderCollected(order: order),
        OrderRefunded(
            order: order, refund: "r7k2mzq4hcbxe3ta", amount: euros(390), reason: "two eggs broken", method: .sandbox),
        OrderRecalled(
            order: order, buyer: person, lots: ["L260503-ABCDE"], reason: "glass found", isCollected: true),
        OrderRecordChanged(
            buyer: person,
            record: OrderRecord(
                order: order, state: .cancelled, placed: later, lines: lines, total: euros(2970), pickup: "barn",
                payment: .sandbox, paid: euros(2970), refunded: euros(2970), returned: euros(390), owed: euros(0),
                payBefore: later, reason: "recalled", recalled: "glass found",
                payments: [
                    OrderPayment(
                        payment: payment, state: .captured, method: .sandbox, amount: euros(2970),
                        page: "http://127.0.0.1:9090/pay/pi_3Q8?as=buyer", refunded: euros(390))
                ])),
    ]

    private static let past = OrderImported(
        order: "shop-1911", buyer: person,
        lines: [OrderImported.Line(product: "tomatoes", quantity: 2), OrderImported.Line(product: "eggs", quantity: 1)])

    private static let payments: [any Event] = [
        PaymentRequested(payment: payment, order: order, amount: euros(2970), method: .sandbox, until: later),
        PaymentOpened(
            payment: payment, order: order, reference: "pi_3Q8", page: "http://127.0.0.1:9090/pay/pi_3Q8?as=buyer"),
        PaymentAuthorized(payment: payment, order: order, amount: euros(2970)),
        PaymentCaptured(payment: payment, order: order, amount: euros(2970), method: .sandbox),
        PaymentFailed(payment: payment, order: order, reason: "declined"),
        PaymentVoided(payment: payment, order: order, reason: "not paid in time"),
        PaymentRefunded(payment: payment, order: order, refund: "r7k2mzq4hcbxe3ta", amount: euros(390)),
    ]

    /// The same events without optional fields.
    static let bare: [any Event] = [
        FarmProfiled(title: "Farm", hasGoods: false),
        ProductListed(product: "eggs", details: ProductDetails(title: "Eggs", unit: "dozen")),
        ProductWithdrawn(product: "eggs"),
        OfferPublished(offer: "o", product: "eggs", lot: "L", price: euros(0), takes: 1, pickups: []),
        OfferWithdrawn(offer: "o"), StockSet(lot: "L", boxes: 0), PickupOpened(pickup: "p", title: "Gate"),
        PickupOpened(
            pickup: "p", title: "Gate", opens: [OpeningTime(weekdays: [1, 2, 5], from: "08:00", to: "12:30")]),
        PromotionPublished(
            promotion: "last-hour",
            rule: PromotionRule(
                title: "Last hour", category: "vegetables", audience: .everyone, from: later,
                until: later.advanced(bySeconds: 86_400),
                beforeClosing: PromotionClosing(pickup: "p", minutes: 60),
                beacons: "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1", node: "bus.local:8091", timesPerDay: 1,
                heldBackPercent: 0, priority: 5)),
        PickupClosed(pickup: "p"),
        OrderPlaced(
            order: order, buyer: person, lines: [], total: euros(0), pickup: "p", payment: .atPickup),
        OrderCancelled(order: order, why: .buyer),
        OrderRecordChanged(
            buyer: person,
            record: OrderRecord(
                order: order, state: .placed, placed: later, lines: [], total: euros(0), pickup: "p",
                payment: .atPickup, paid: euros(0), refunded: euros(0), returned: euros(0), owed: euros(0),
                payments: [])),
        PaymentRequested(payment: payment, order: order, amount: euros(1), method: .atPickup),
        PaymentOpened(payment: payment, order: order, reference: "x"),
    ]
}
