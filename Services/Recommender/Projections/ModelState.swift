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

    /// The numbers of the pickup places, in the order in which they occur.
    private var places: [PickupID: Int] = [:]

    /// The products in season on the day of the newest basket, when the model was last solved.
    private(set) var inSeason: [Int: Seasons.Strength] = [:]
    private(set) var timely = TimelyProducts()

    private let room: Int

    /// - Parameter room: the maximum number of products in the model.
    init(_ tables: some Tables, room: Int = RecommenderLimits.products) {
        self.room = room
        var histories: [PersonID: PurchaseHistory] = [:]
        var places: [PickupID: Int] = [:]
        shop = CatalogSnapshot(tables) { row, products in
            guard let buyer = row.buyer, let basket = Self.counted(row, products, &places) else { return }
            histories[buyer, default: PurchaseHistory()].append(basket)
        }
        self.places = places
        // The rows are in byte order of the orders, which breaks ties of the time.
        while let (person, history) = histories.popFirst() { set(person, to: history) }
        focus()
    }

    /// Sets the head of the model to the listed products with the most recent sales.
    ///
    /// Finds the products in season, too, which takes too long for a request.
    mutating func focus() {
        let listed = shop.products.values.filter(\.isListed).map(\.number)
        inSeason = shoppers.sales.newest.map { shoppers.seasons.strengths(on: $0) } ?? [:]
        timely = TimelyProducts()
        focus(on: ModelHead(of: listed, sales: shoppers.sales, names: shop.names, room: room).products)
    }

    /// Chooses the products that may have to be bought soon, if those chosen last are not current.
    mutating func chooseTimely(at now: Instant) {
        guard !timely.isCurrent(at: now, state: shop.indexState) else { return }
        timely = TimelyProducts(
            shop.toBuySoon(at: now).union(inSeason.keys), sales: shoppers.sales, names: shop.names, chosen: now,
            state: shop.indexState)
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
        for event in events {
            let listed = shop.newest.count
            shop.refresh(after: event, from: tables)
            switch event.fact {
            case .catalog(let fact): note(fact, listed: listed)
            case .orders(let fact): buyers.formUnion(refresh(after: fact, from: tables))
            case .sync(.personErased(let erased)): buyers.insert(erased.person)
            case .inventory, .journal, .sensors, .trace, .sync, .recommendations: break
            }
        }
        reread(buyers, from: tables)
    }

    /// Reads the baskets of these people again.
    mutating func reread(_ buyers: Set<PersonID>, from tables: some Tables) {
        // A fixed order, although the sums do not depend on it.
        for person in buyers.sorted() {
            let rows = tables.find(PurchaseRow.self, where: "buyer", is: person.rawValue, limit: RecommenderLimits.rows)
            let before = shoppers[person]
            set(person, to: PurchaseHistory(rows.compactMap { Self.counted($0, shop.products, &places) }))
            // Payments and collections change an order's record, and no basket.
            if shoppers[person] != before { isChanged = true }
        }
    }

    /// Notes whether a product that was ever bought is listed or withdrawn. One that was never bought is not in the
    /// model.
    ///
    /// - Parameter listed: the number of listed products before the event.
    private mutating func note(_ fact: CatalogEvent, listed: Int) {
        let product: ProductID
        switch fact {
        case .productListed(let event): product = event.product
        case .productChanged(let event): product = event.product
        case .productWithdrawn(let event): product = event.product
        case .offerPublished, .offerWithdrawn, .stockSet, .stockAdjusted, .stockLevelChanged, .lotBlocked,
            .farmProfiled, .offerRepriced,
            .pickupOpened, .pickupClosed, .favouriteSet, .favouriteUnset, .promotionPublished,
            .promotionEnded, .promotionShown:
            return
        }
        guard shop.newest.count != listed, let row = shop.products[product] else { return }
        if shoppers.sales.total(of: row.number) > 0 { isChanged = true }
    }

    /// Updates the shop after an order event and returns the buyers whose baskets must be read again.
    private mutating func refresh(after fact: OrdersEvent, from tables: some Tables) -> [PersonID] {
        switch fact {
        case .orderRecordChanged(let event): return refresh(event.record.order, tables)
        case .orderImported(let event): return refresh(event.order, tables)
        case .cartHeld, .cartReleased, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded,
            .orderRecalled, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentCaptured, .paymentFailed,
            .paymentVoided, .paymentRefunded:
            return []
        }
    }

    private mutating func refresh(_ order: OrderID, _ tables: some Tables) -> [PersonID] {
        guard let row = tables.get(PurchaseRow.self, order.rawValue) else { return [] }
        shop.refresh(row.products, from: tables)
        guard let buyer = row.buyer else { return [] }
        return append(row, of: buyer) ? [] : [buyer]
    }

    /// Appends an order to its buyer's baskets without reading the others again. Returns false if it is not the newest.
    private mutating func append(_ row: PurchaseRow, of buyer: PersonID) -> Bool {
        if let last = shoppers[buyer]?.last, row.placed <= last { return false }
        guard (shoppers[buyer]?.count ?? 0) < RecommenderLimits.orders,
            let basket = Self.counted(row, shop.products, &places)
        else { return false }
        shoppers.append(basket, of: buyer)
        isChanged = true
        return true
    }

    /// Sets a person's baskets to the newest of these, in the order they were placed, and counts the others.
    private mutating func set(_ person: PersonID, to history: PurchaseHistory) {
        shoppers.set(person, to: history.sorted(newest: RecommenderLimits.orders))
        let older = history.count - RecommenderLimits.orders
        olderOrders[person] = older > 0 ? older : nil
    }

    /// Returns the basket of an order, or nil if the order is cancelled or has no product within the catalogue's limit.
    private static func counted(
        _ row: PurchaseRow, _ products: [ProductID: RecommenderProductRow], _ places: inout [PickupID: Int]
    ) -> PurchaseBasket? {
        guard row.state != .cancelled else { return nil }
        let numbers = Set(row.products.compactMap { products[$0]?.number })
        let known = numbers.filter { $0 < RecommenderLimits.catalogue }.sorted()
        guard !known.isEmpty else { return nil }
        let next = places.count
        let place = row.pickup.map { pickup in
            let number = places[pickup] ?? next
            places[pickup] = number
            return number
        }
        return PurchaseBasket(placed: row.placed, place: place, products: known)
    }
}
