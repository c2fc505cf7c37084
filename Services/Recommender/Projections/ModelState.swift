import EventSourcing
import Events
import Vocabulary

/// The recommender's state in memory. It is read from the tables at the start and then updated event by event.
struct ModelState: Sendable {
    private(set) var shop: CatalogSnapshot
    private(set) var shoppers = Shoppers()
    /// Whether the baskets or the listed products among those sold changed since this was set to false.
    var isChanged = true
    /// The number of a person's orders beyond ``RecommenderLimits/orders``, for persons who have such orders.
    private var olderOrders: [PersonID: Int] = [:]

    private let room: Int

    /// - Parameter room: the maximum number of products in the model.
    init(_ tables: some Tables, room: Int = RecommenderLimits.products) {
        self.room = room
        shop = CatalogSnapshot(tables)
        var histories: [PersonID: [PurchaseBasket]] = [:]
        CatalogSnapshot.each(PurchaseRow.self, tables) { row in
            if let buyer = row.buyer, let basket = counted(row) { histories[buyer, default: []].append(basket) }
        }
        for (person, baskets) in histories { set(person, to: baskets) }
        focus()
    }

    /// Sets the head of the model to the listed products with the most recent sales.
    mutating func focus() {
        let listed = shop.products.values.filter(\.isListed).map(\.number)
        focus(on: ModelHead(of: listed, sales: shoppers.sales, names: shop.names, room: room).products)
    }

    mutating func focus(on head: [Int]) { shoppers.focus(on: head) }

    var coverage: ModelCoverage {
        var coverage = ModelCoverage()
        for row in shop.products.values {
            if row.number >= RecommenderLimits.catalogue { coverage.beyondCatalogue += 1 }
            guard row.isListed else { continue }
            coverage.listed += 1
            if shoppers.sums.row(of: row.number) != nil {
                coverage.inModel += 1
            } else if shoppers.sales.total(of: row.number) > 0 {
                coverage.outside += 1
            }
        }
        coverage.olderOrders = olderOrders.values.reduce(0, +)
        return coverage
    }

    /// Updates the state after events that are already applied to the tables.
    mutating func refresh(after events: [RecordedEvent], from tables: some Tables) {
        var buyers: Set<PersonID> = []
        for told in events {
            switch told.fact {
            case .catalog(let fact): refresh(after: fact, from: tables)
            case .orders(let fact): buyers.formUnion(refresh(after: fact, from: tables))
            case .sync(.personErased(let event)): buyers.insert(event.person)
            case .inventory, .journal, .sensors, .trace, .sync, .recommendations: break
            }
        }
        // A fixed order, although the sums do not depend on it.
        for person in buyers.sorted() {
            let rows = tables.find(PurchaseRow.self, where: "buyer", is: person.rawValue, limit: RecommenderLimits.rows)
            set(person, to: rows.compactMap { counted($0) })
            isChanged = true
        }
    }

    private mutating func refresh(after fact: CatalogEvent, from tables: some Tables) {
        let product: ProductID
        switch fact {
        case .productListed(let event): product = event.product
        case .productChanged(let event): product = event.product
        case .productWithdrawn(let event): product = event.product
        case .offerPublished, .offerWithdrawn, .stockSet, .stockAdjusted, .lotBlocked, .farmProfiled, .offerRepriced,
            .pickupOpened, .pickupClosed, .favouriteSet, .favouriteUnset, .promotionPublished,
            .promotionEnded, .promotionShown:
            return shop.refresh(after: fact, from: tables)
        }
        let wasListed = shop.products[product]?.isListed ?? false
        shop.refresh(after: fact, from: tables)
        guard let row = shop.products[product], row.isListed != wasListed else { return }
        // A product that was never bought is not in the model.
        if shoppers.sales.total(of: row.number) > 0 { isChanged = true }
    }

    /// Updates the shop after an order event and returns the buyers whose baskets must be read again.
    private mutating func refresh(after fact: OrdersEvent, from tables: some Tables) -> [PersonID] {
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

    /// Appends an order to its buyer's baskets without reading the others again. Returns false if it is not the newest.
    private mutating func append(_ row: PurchaseRow, of buyer: PersonID) -> Bool {
        let before = shoppers[buyer]?.baskets ?? []
        if let last = before.last, (row.placed, row.key) <= (last.placed, last.order) { return false }
        guard let basket = counted(row) else { return false }
        let baskets = before + [basket]
        shoppers.set(buyer, to: Array(baskets.suffix(RecommenderLimits.orders)))
        if baskets.count > RecommenderLimits.orders { olderOrders[buyer, default: 0] += 1 }
        isChanged = true
        return true
    }

    /// Sets a person's baskets to the newest of these, in the order they were placed, and counts the others.
    private mutating func set(_ person: PersonID, to baskets: [PurchaseBasket]) {
        let sorted = baskets.sorted { ($0.placed, $0.order) < ($1.placed, $1.order) }
        shoppers.set(person, to: Array(sorted.suffix(RecommenderLimits.orders)))
        olderOrders[person] = sorted.count > RecommenderLimits.orders ? sorted.count - RecommenderLimits.orders : nil
    }

    /// Returns the basket of an order, or nil if the order is cancelled or has no product within the catalogue's limit.
    private func counted(_ row: PurchaseRow) -> PurchaseBasket? {
        guard row.state != .cancelled else { return nil }
        let numbers = Set(row.lines.compactMap { shop.products[$0.product]?.number })
        let known = numbers.filter { $0 < RecommenderLimits.catalogue }.sorted()
        return known.isEmpty ? nil : PurchaseBasket(placed: row.placed, order: row.key, products: known)
    }
}
