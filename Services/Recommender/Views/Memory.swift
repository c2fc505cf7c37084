import EventSourcing
import Events
import Vocabulary

/// What the recommender has at hand: a function of its tables, kept up with them event by event, and read from them
/// anew at a start.
struct Memory: Sendable {
    private(set) var shop: Shop
    private(set) var shoppers = Shoppers()
    /// Whether somebody's baskets changed since this was set to false.
    var isChanged = true

    init(_ tables: some Tables) {
        shop = Shop(tables)
        var histories: [PersonID: [Basket]] = [:]
        Shop.each(PurchaseRow.self, tables) { row in
            if let buyer = row.buyer, let basket = counted(row) { histories[buyer, default: []].append(basket) }
        }
        for (person, baskets) in histories { shoppers.set(person, to: Self.newest(baskets)) }
    }

    /// What these events have changed in the tables, which they are folded into already.
    mutating func refresh(after events: [Told], from tables: some Tables) {
        var buyers: Set<PersonID> = []
        for told in events {
            switch told.fact {
            case .catalog(let fact): shop.refresh(after: fact, from: tables)
            case .orders(let fact): buyers.formUnion(refresh(after: fact, from: tables))
            case .sync(.personErased(let event)): buyers.insert(event.person)
            case .journal, .sensors, .trace, .sync, .recommendations: break
            }
        }
        // One after the other in a fixed order, though the sums don't depend on it.
        for person in buyers.sorted() {
            let rows = tables.find(
                PurchaseRow.self, where: "buyer", is: person.rawValue, limit: Bounds.ordersRead)
            shoppers.set(person, to: Self.newest(rows.compactMap { counted($0) }))
            isChanged = true
        }
    }

    /// Whose baskets may have changed.
    private mutating func refresh(after fact: OrdersFact, from tables: some Tables) -> [PersonID] {
        switch fact {
        case .orderPlaced(let event): return refresh(event.order, tables)
        case .orderChanged(let event): return refresh(event.order, tables)
        case .orderCancelled(let event): return refresh(event.order, tables)
        case .orderCollected(let event): return refresh(event.order, tables)
        case .orderImported(let event): return refresh(event.order, tables)
        case .cartHeld, .cartReleased, .orderRefunded, .orderRecalled, .paymentRequested, .paymentOpened,
            .paymentAuthorized, .paymentCaptured, .paymentFailed, .paymentVoided, .paymentRefunded:
            return []
        }
    }

    private mutating func refresh(_ order: OrderID, _ tables: some Tables) -> [PersonID] {
        guard let row = tables.get(PurchaseRow.self, order.rawValue) else { return [] }
        shop.refresh(row.lines, from: tables)
        guard let buyer = row.buyer else { return [] }
        return append(row, of: buyer) ? [] : [buyer]
    }

    /// Puts an order behind all others of its buyer, without reading those again; false where it does not stand there.
    private mutating func append(_ row: PurchaseRow, of buyer: PersonID) -> Bool {
        let before = shoppers[buyer]?.baskets ?? []
        if let last = before.last, (row.placed, row.key) <= (last.placed, last.order) { return false }
        guard before.count < Bounds.orders, let basket = counted(row) else { return false }
        shoppers.set(buyer, to: before + [basket])
        isChanged = true
        return true
    }

    /// The baskets that count, in the order they were placed.
    private static func newest(_ baskets: [Basket]) -> [Basket] {
        baskets.sorted { ($0.placed, $0.order) < ($1.placed, $1.order) }.suffix(Bounds.orders)
    }

    /// Nil for an order that was cancelled, or of nothing that the model knows.
    private func counted(_ row: PurchaseRow) -> Basket? {
        guard row.state != .cancelled else { return nil }
        let numbers = Set(row.lines.compactMap { shop.products[$0.product]?.number })
        let known = numbers.filter { $0 < Bounds.products }.sorted()
        return known.isEmpty ? nil : Basket(placed: row.placed, order: row.key, products: known)
    }
}
