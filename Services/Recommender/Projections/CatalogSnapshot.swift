import EventSourcing
import Events
import Vocabulary

/// The products of the shop in memory, read from the tables once and then updated event by event.
struct CatalogSnapshot: Sendable {
    private(set) var products: [ProductID: RecommenderProductRow] = [:]
    /// The names of the products, by number.
    private(set) var names: [ProductID] = []
    /// The numbers of the listed products, the newest first; ties are in byte order of their names.
    private(set) var newest: [Int] = []
    /// The numbers of the products of each farm, in no order.
    private var byFarm: [FarmID: Set<Int>] = [:]
    private var availability = Availability()

    init() {}

    /// Reads all products, offers and orders from the tables.
    ///
    /// - Parameter order: called with each order, so that the orders are read once.
    init(_ tables: some Tables, order: (PurchaseRow, [ProductID: RecommenderProductRow]) -> Void) {
        Self.each(RecommenderOfferRow.self, tables) { availability.note($0) }
        Self.each(RecommenderProductRow.self, tables) { note($0) }
        for row in products.values { availability.update(row, tables) }
        Self.each(PurchaseRow.self, tables) { row in order(row, products) }
        newest = products.values.filter(\.isListed).sorted(by: Self.isNewer).map(\.number)
        availability.index()
    }

    /// Returns whether at least one unit of the product with this number can be ordered.
    ///
    /// - Parameter streams: the streams with parked events.
    func isInStock(_ number: Int, at now: Instant, holding streams: Set<String>, seeing tables: some Tables) -> Bool {
        guard availability.isAvailable(number, at: now) else { return false }
        return streams.isEmpty
            || availability.isAvailable(names[number], at: now, without: streams, seeing: tables)
    }

    /// Returns what is in stock of the product with this number; nil without an offer in stock.
    func supply(of number: Int) -> Supply? { availability.supply(of: number) }

    /// The state of what ``toBuySoon(at:)`` is chosen from.
    var indexState: Int { availability.indexState }

    /// Returns the products that may have to be bought soon, each once, in no order.
    func toBuySoon(at now: Instant) -> Set<Int> { availability.toBuySoon(at: now) }

    /// Returns the numbers of the farm's listed products, the newest first.
    func newest(of farm: FarmID) -> [Int] {
        let rows = (byFarm[farm] ?? []).compactMap { products[names[$0]] }
        return rows.filter(\.isListed).sorted(by: Self.isNewer).map(\.number)
    }

    func title(of product: ProductID) -> String { products[product]?.title ?? product.rawValue }

    // MARK: Updates

    /// Reads the rows that an event has changed from the tables, to which it is already applied.
    mutating func refresh(after event: RecordedEvent, from tables: some Tables) {
        for product in availability.touched(by: event) {
            if let row = products[product] { availability.update(row, tables) }
        }
        guard case .catalog(let fact) = event.fact else { return }
        switch fact {
        case .productListed(let event): reread(event.product, tables)
        case .productChanged(let event): reread(event.product, tables)
        case .productWithdrawn(let event): reread(event.product, tables)
        case .offerPublished(let event):
            _ = availability.refresh(event.offer, tables)
            reread(event.product, tables)
        case .offerWithdrawn(let event):
            if let product = availability.refresh(event.offer, tables) { reread(product, tables) }
        case .stockSet, .stockAdjusted, .stockLevelChanged, .lotBlocked, .farmProfiled, .offerRepriced, .pickupOpened,
            .pickupClosed,
            .favouriteSet, .favouriteUnset, .promotionPublished,
            .promotionEnded, .promotionShown:
            break
        }
    }

    /// Reads those of these products that are not known yet.
    mutating func refresh(_ bought: [ProductID], from tables: some Tables) {
        for product in bought where products[product] == nil { reread(product, tables) }
    }

    /// Reads a product again. A withdrawal of a product also withdraws its offers, so they are not read.
    private mutating func reread(_ product: ProductID, _ tables: some Tables) {
        guard let row = tables.get(RecommenderProductRow.self, product.rawValue) else { return }
        let before = products[product]
        note(row)
        availability.update(row, tables)
        guard before?.isListed != row.isListed || before?.listed != row.listed else { return }
        if before?.isListed == true { newest.removeAll { $0 == row.number } }
        if row.isListed { newest.insert(row.number, at: place(of: row)) }
    }

    /// Returns the index in ``newest`` at which a product belongs.
    private func place(of row: RecommenderProductRow) -> Int {
        var (low, high) = (0, newest.count)
        while low < high {
            let middle = (low + high) / 2
            guard let other = products[names[newest[middle]]], Self.isNewer(other, row) else {
                high = middle
                continue
            }
            low = middle + 1
        }
        return low
    }

    private static func isNewer(_ one: RecommenderProductRow, _ other: RecommenderProductRow) -> Bool {
        let (a, b) = (one.listed ?? .earliest, other.listed ?? .earliest)
        return a == b ? one.product < other.product : a > b
    }

    private mutating func note(_ row: RecommenderProductRow) {
        products[row.product] = row
        if let farm = row.farm { byFarm[farm, default: []].insert(row.number) }
        // Rows are not read in the order of their numbers.
        while names.count <= row.number { names.append(ProductID("")) }
        names[row.number] = row.product
    }

    /// Calls `body` with every row of a table, and reads one page at a time.
    static func each<Row: TableRow>(_ type: Row.Type, _ tables: some Tables, _ body: (Row) -> Void) {
        var after: String?
        while true {
            let rows = tables.scan(type, prefix: "", after: after, limit: RecommenderLimits.pageRows)
            for row in rows { body(row) }
            guard rows.count == RecommenderLimits.pageRows, let last = rows.last else { return }
            after = last.key
        }
    }
}
