import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Computes the responses of the market's queries.
struct MarketQueries {
    let tables: any Tables
    /// Nil on the thread that only reads the tables: see `MarketQueryName.readsTablesAlone`.
    let contacts: Contacts?
    let ask: Request
    let now: Instant
    /// The time at which the response changes without an event.
    let nextEnd: NextEnd

    init(tables: any Tables, contacts: Contacts?, ask: Request, now: Instant) {
        (self.tables, self.contacts, self.ask, self.now) = (tables, contacts, ask, now)
        nextEnd = NextEnd(after: now)
    }

    func answer(_ query: MarketQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
        case .directory: .made(try directory(DirectoryQuery(body)))
        case .directoryFarm: .made(try farm(DirectoryFarmQuery(body)))
        case .counties: .made(counties())
        case .products: .made(try products(ProductsQuery(body)))
        case .product: .made(try product(ProductQuery(body)))
        case .offers: .made(try offers(OffersQuery(body)))
        case .pickups: .made(try pickups(PickupsQuery(body)))
        case .quote: .made(try quote(QuoteQuery(body)))
        case .favourites: .made(try favourites())
        case .promotions: .made(promotions())
        case .promotionReach: .made(try reach(PromotionReachQuery(body)))
        case .cart: .made(try cart())
        case .orders: .made(try orders(OrdersQuery(body)))
        case .order: .made(try order(OrderQuery(body)))
        case .soldOrders: .made(try soldOrders(SoldOrdersQuery(body)))
        case .soldOrder: .made(try soldOrder(SoldOrderQuery(body)))
        case .packing: .made(try packing(PackingQuery(body)))
        case .stock: .made(try stock(StockQuery(body)))
        case .export: .made(try export())
        }
    }

    func buyer() throws(Problem) -> PersonID {
        guard let person = ask.person else { throw Problem(401, "not-signed-in", "Sign in first.") }
        return person
    }

    // MARK: Pages

    /// Returns one page of what `item` makes of the rows; a row of which it makes nil is left out.
    ///
    /// Scans a bounded number of rows, so a page can be short.
    func page<Row: TableRow, Item>(
        _ type: Row.Type, after name: String?, _ item: (Row) -> Item?
    ) -> ResponsePage<Item> {
        var after = name
        var page = ResponsePage<Item>([])
        var looked = 0
        var isOver = false
        while page.items.count < MarketLimits.pageItems, looked < MarketLimits.pageRows, !isOver {
            let some = tables.scan(type, prefix: "", after: after, limit: MarketLimits.pageItems * 2)
            isOver = some.count < MarketLimits.pageItems * 2
            looked += some.count
            for row in some {
                after = row.key
                if let item = item(row) { page.items.append(item) }
                if page.items.count == MarketLimits.pageItems {
                    isOver = isOver && row.key == some.last?.key
                    break
                }
            }
        }
        page.next = isOver ? nil : after
        return page
    }

    // MARK: The caller's own data

    private func favourites() throws(Problem) -> ResponsePage<FavouriteResponse> {
        let rows = tables.scan(FavouriteRow.self, prefix: "\(try buyer())|", limit: MarketLimits.favourites)
        return ResponsePage(
            rows.compactMap { row in
                let parts = row.favourite.split(separator: "/", maxSplits: 1).map(String.init)
                guard parts.count == 2, let kind = FavouriteKind(rawValue: parts[0]) else { return nil }
                return FavouriteResponse(kind: kind, name: parts[1], since: row.since)
            })
    }

    private func cart() throws(Problem) -> CartResponse {
        let row = tables.get(CartRow.self, try buyer().rawValue)
        let lines = row?.lines ?? []
        return CartResponse(lines: lines, total: Money.sum(lines.lazy.map(\.amount)), until: row?.until)
    }

    private func orders(_ query: OrdersQuery) throws(Problem) -> ResponsePage<OrderRecord> {
        let rows = tables.find(OrderRow.self, where: "buyer", is: try buyer().rawValue, limit: MarketLimits.pageRows)
            .sorted { ($0.placed, $0.key) > ($1.placed, $1.key) }
        let first = rows.firstIndex { $0.key == query.after }.map { $0 + 1 } ?? 0
        let page = rows[first...].prefix(MarketLimits.pageItems)
        return ResponsePage(page.compactMap(record), next: page.endIndex < rows.count ? page.last?.key : nil)
    }

    private func order(_ query: OrderQuery) throws(Problem) -> OrderRecord {
        let buyer = try buyer()
        guard let row = tables.get(OrderRow.self, query.order.rawValue), row.state.placed?.buyer == buyer,
            let record = record(row)
        else { throw Order.Refusal.unknown.problem(query.order) }
        return record
    }

    func record(_ row: OrderRow) -> OrderRecord? { OrderWithPayments(row, tables).record }

    /// Returns all data that the market stores about the caller.
    private func export() throws(Problem) -> MarketExport {
        let person = try buyer()
        let orders = tables.find(OrderRow.self, where: "buyer", is: person.rawValue, limit: .max)
            .sorted { ($0.placed, $0.key) < ($1.placed, $1.key) }
        return MarketExport(
            contact: try contacts?.contact(of: person),
            favourites: tables.scan(FavouriteRow.self, prefix: "\(person)|", limit: MarketLimits.favourites)
                .compactMap { Favourite($0.favourite) },
            promotions: tables.scan(PromotionSeenRow.self, prefix: "\(person)|", limit: .max).map { row in
                ExportedPromotion(promotion: PromotionID(row.promotion), since: row.since, heldBack: row.isHeldBack)
            },
            orders: orders.compactMap(record))
    }
}
