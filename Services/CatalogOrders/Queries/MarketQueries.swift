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
        case .directory: try directory(body)
        case .directoryFarm: try directoryFarm(body)
        case .counties: counties()
        case .products: try products(body)
        case .product: try product(body)
        case .offers: try offers(body)
        case .pickups: try pickups(body)
        case .quote: try quote(body)
        case .favourites: try favourites()
        case .promotions: promotions()
        case .promotionReach: try promotionReach(body)
        case .cart: try cart()
        case .orders: try orders(body)
        case .order: try order(body, of: buyer())
        case .soldOrders: try soldOrders(body)
        case .soldOrder: try order(body, of: nil)
        case .packing: try packing(body)
        case .stock: try stock(body)
        case .export: try export()
        }
    }

    func buyer() throws(Problem) -> PersonID {
        guard let person = ask.person else { throw Problem(401, "not-signed-in", "Sign in first.") }
        return person
    }

    // MARK: Pages

    func page<Row: TableRow>(
        _ type: Row.Type, _ body: RequestBody, prefix: String = "", where fits: (Row) -> Bool,
        write: (Row, inout JSONWriter) -> Void
    ) throws(Problem) -> Response {
        let page = try rows(type, body, prefix: prefix, where: fits)
        return list(page.rows, next: page.next, write)
    }

    /// Returns one page of matching rows, and the key after which the next page begins, or nil at the end.
    ///
    /// Scans a bounded number of rows, so a page can be short.
    func rows<Row: TableRow>(
        _ type: Row.Type, _ body: RequestBody, prefix: String = "", where fits: (Row) -> Bool
    ) throws(Problem) -> (rows: [Row], next: String?) {
        var after = try body.optionalText("after").map { prefix + $0 }
        var rows: [Row] = []
        var looked = 0
        var isOver = false
        while rows.count < MarketLimits.pageItems, looked < MarketLimits.pageRows, !isOver {
            let some = tables.scan(type, prefix: prefix, after: after, limit: MarketLimits.pageItems * 2)
            isOver = some.count < MarketLimits.pageItems * 2
            looked += some.count
            for row in some {
                after = row.key
                if fits(row) { rows.append(row) }
                if rows.count == MarketLimits.pageItems {
                    isOver = isOver && row.key == some.last?.key
                    break
                }
            }
        }
        return (rows, isOver ? nil : after.map { String($0.dropFirst(prefix.utf8.count)) })
    }

    func list<Row>(_ rows: [Row], next: String?, _ write: (Row, inout JSONWriter) -> Void) -> Response {
        .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows { json.object { json in write(row, &json) } }
                })
            if let next { json.field("next", next) }
        }
    }

    // MARK: The caller's own data

    private func favourites() throws(Problem) -> Response {
        let rows = tables.scan(FavouriteRow.self, prefix: "\(try buyer())|", limit: MarketLimits.favourites)
        return list(rows, next: nil) { row, json in
            let parts = row.favourite.split(separator: "/", maxSplits: 1)
            json.field("kind", parts.first.map(String.init) ?? "")
            json.field("name", parts.last.map(String.init) ?? "")
            json.field("since", row.since)
        }
    }

    private func cart() throws(Problem) -> Response {
        let row = tables.get(CartRow.self, try buyer().rawValue)
        return .made { json in
            json.field("lines", row?.lines ?? [])
            json.field("total", ifPresent: Money.sum((row?.lines ?? []).lazy.map(\.amount)))
            json.field("until", ifPresent: row?.until)
        }
    }

    private func orders(_ body: RequestBody) throws(Problem) -> Response {
        let rows = tables.find(OrderRow.self, where: "buyer", is: try buyer().rawValue, limit: MarketLimits.pageRows)
            .sorted { ($0.placed, $0.key) > ($1.placed, $1.key) }
        let after = try body.optionalText("after")
        let first = rows.firstIndex { $0.key == after }.map { $0 + 1 } ?? 0
        let page = rows[first...].prefix(MarketLimits.pageItems)
        return list(Array(page), next: page.endIndex < rows.count ? page.last?.key : nil, write)
    }

    private func order(_ body: RequestBody, of buyer: PersonID?) throws(Problem) -> Response {
        let order = try body.name("order")
        guard let row = tables.get(OrderRow.self, order), buyer == nil || row.state.placed?.buyer == buyer else {
            throw Problem(404, "unknown-order", "There is no order \(order).")
        }
        let contact =
            try buyer == nil
            ? row.state.placed.flatMap { placed throws(Problem) in
                try contacts?.contact(of: placed.buyer)
            } : nil
        return .made { json in
            write(row, &json)
            guard buyer == nil else { return }
            json.field("buyer", ifPresent: row.state.placed?.buyer)
            json.field("contact", ifPresent: contact)
        }
    }

    func write(_ row: OrderRow, _ json: inout JSONWriter) {
        OrderHistory(row, tables).record?.write(fields: &json)
    }

    /// Returns all data that the market stores about the caller.
    private func export() throws(Problem) -> Response {
        let person = try buyer()
        let contact = try contacts?.contact(of: person)
        let orders = tables.find(OrderRow.self, where: "buyer", is: person.rawValue, limit: .max)
            .sorted { ($0.placed, $0.key) < ($1.placed, $1.key) }
        return .made { json in
            json.field("contact", ifPresent: contact)
            json.field(
                "favourites",
                array: { json in
                    for row in tables.scan(FavouriteRow.self, prefix: "\(person)|", limit: MarketLimits.favourites) {
                        json.element(row.favourite)
                    }
                })
            json.field(
                "promotions",
                array: { json in
                    for row in tables.scan(PromotionSeenRow.self, prefix: "\(person)|", limit: .max) {
                        json.element(object: { json in
                            json.field("promotion", row.promotion)
                            json.field("since", row.since)
                            json.field("heldBack", row.isHeldBack)
                        })
                    }
                })
            json.field(
                "orders",
                array: { json in
                    for order in orders { json.object { json in write(order, &json) } }
                })
        }
    }
}
