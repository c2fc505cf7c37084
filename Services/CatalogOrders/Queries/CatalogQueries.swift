import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The public queries: farms, products, offers and pick-up points, and the stock for the staff.
extension MarketQueries {
    // MARK: Farms

    func directory(_ body: RequestBody) throws(Problem) -> Response {
        let county = try body.optionalText("county")
        return try page(
            MarketFarmRow.self, body, where: { $0.isListed && (county == nil || $0.profile.county == county) },
            write: write)
    }

    func directoryFarm(_ body: RequestBody) throws(Problem) -> Response {
        let farm = try body.name("farm")
        guard let row = tables.get(MarketFarmRow.self, farm), row.isListed else {
            throw Problem(404, "unknown-farm", "The directory has no farm \(farm).")
        }
        // Limited to one page; further products are listed by the products query.
        let products = tables.find(ProductRow.self, where: "farm", is: farm, limit: MarketLimits.pageRows)
            .lazy.filter { !$0.isWithdrawn }.prefix(MarketLimits.pageItems)
        return .made { json in
            write(row, &json)
            json.field(
                "products",
                array: { json in
                    for product in products {
                        json.object { json in write(product, &json) }
                    }
                })
        }
    }

    /// Returns the counties that have farms in the directory, with the number of farms.
    func counties() -> Response {
        var counts: [String: Int] = [:]
        for row in tables.scan(MarketFarmRow.self, limit: MarketLimits.pageRows) where row.isListed {
            if let county = row.profile.county { counts[county, default: 0] += 1 }
        }
        return list(counts.sorted { $0.key < $1.key }, next: nil) { county, json in
            json.field("county", county.key)
            json.field("farms", county.value)
        }
    }

    private func write(_ row: MarketFarmRow, _ json: inout JSONWriter) {
        json.field("farm", row.key)
        json.field("zone", row.zone)
        row.profile.write(fields: &json)
    }

    // MARK: Products

    func products(_ body: RequestBody) throws(Problem) -> Response {
        let (farm, category) = (try body.optionalText("farm"), try body.optionalText("category")?.lowercased())
        let words = try body.optionalText("q")?.lowercased()
        return try page(
            ProductRow.self, body,
            where: { row in
                !row.isWithdrawn && (farm == nil || row.farm.rawValue == farm)
                    && (category == nil || row.details.category == category)
                    && (words.map { row.details.title.lowercased().contains($0) } ?? true)
            }, write: write)
    }

    func product(_ body: RequestBody) throws(Problem) -> Response {
        let product = try body.name("product")
        guard let row = tables.get(ProductRow.self, product) else {
            throw Problem(404, "unknown-product", "There is no product \(product).")
        }
        let offers = offers(of: row)
        return .made { json in
            write(row, &json)
            json.field("withdrawn", row.isWithdrawn)
            json.field(
                "offers",
                array: { json in
                    for offer in offers { json.object { json in write(offer, &json) } }
                })
        }
    }

    /// Returns the offers on sale now, then a limited number of others that are not withdrawn.
    private func offers(of row: ProductRow) -> [OfferRow] {
        let now = tables.offers(of: row.key, onSaleAt: now)
        let names = Set(now.map(\.key))
        let some = tables.find(OfferRow.self, where: "product", is: row.key, limit: MarketLimits.offers)
        return now + some.filter { !$0.isWithdrawn && !names.contains($0.key) }
    }

    private func write(_ row: ProductRow, _ json: inout JSONWriter) {
        let onSale = tables.offers(of: row.key, onSaleAt: now)
        onSale.forEach(nextEnd.note)
        let open = onSale.filter { $0.closing(at: now, in: tables) == nil }
        json.field("product", row.key)
        json.field("farm", row.farm)
        json.field("farmTitle", ifPresent: tables.get(MarketFarmRow.self, row.farm.rawValue)?.profile.title)
        json.field("title", row.details.title)
        json.field("unit", row.details.unit)
        json.field("category", ifPresent: row.details.category)
        json.field("description", ifPresent: row.details.description)
        json.field("gtin", ifPresent: row.details.gtin)
        json.field("picture", ifPresent: row.details.picture)
        json.field("thumbnail", ifPresent: row.details.thumbnail)
        json.field("alt", ifPresent: row.details.alt)
        json.field("contents", ifPresent: row.details.contents)
        json.field("from", ifPresent: lowestPrice(of: open))
        // Offers of one lot share its boxes, so each lot is counted once.
        let units = Dictionary(open.map { ($0.lot, left($0)) }, uniquingKeysWith: max)
        json.field("left", units.values.reduce(0, +))
    }

    /// Returns the lowest price of the offers in stock, or of all offers if none is in stock.
    ///
    /// Only the currency of the first offer is considered.
    private func lowestPrice(of offers: [OfferRow]) -> Money? {
        let there = offers.filter { left($0) > 0 }
        let prices = (there.isEmpty ? offers : there).map(\.price)
        return prices.filter { $0.currency == prices.first?.currency }.min { $0.minor < $1.minor }
    }

    // MARK: Offers

    func offers(_ body: RequestBody) throws(Problem) -> Response {
        let (farm, product) = (try body.optionalText("farm"), try body.optionalText("product"))
        let (lot, pickup) = (try body.optionalText("lot"), try body.optionalText("pickup").map { PickupID($0) })
        return try page(
            OfferRow.self, body,
            where: { row in
                !row.isWithdrawn && (farm == nil || row.farm.rawValue == farm)
                    && (product == nil || row.product.rawValue == product)
                    && (lot == nil || row.lot.rawValue == lot)
                    && (pickup.map { row.pickups.isEmpty || row.pickups.contains($0) } ?? true)
            }, write: write)
    }

    private func write(_ row: OfferRow, _ json: inout JSONWriter) {
        nextEnd.note(row)
        let product = tables.get(ProductRow.self, row.product.rawValue)
        json.field("offer", row.key)
        json.field("product", row.product)
        json.field("title", ifPresent: product?.details.title)
        json.field("unit", ifPresent: product?.details.unit)
        json.field("picture", ifPresent: product?.details.picture)
        json.field("thumbnail", ifPresent: product?.details.thumbnail)
        json.field("farm", row.farm)
        json.field("lot", row.lot)
        json.field("harvested", ifPresent: tables.get(MarketLotRow.self, row.lot.rawValue)?.harvested)
        json.field("price", row.price)
        json.field("takes", row.takes)
        json.field("pickups", row.pickups)
        json.field("until", ifPresent: row.until)
        json.field("left", left(row))
        switch row.closing(at: now, in: tables) {
        case .withdrawn: json.field("closed", "withdrawn")
        case .over: json.field("closed", "over")
        case .gone: json.field("closed", "gone")
        case .waiting: json.field("closed", "waiting")
        case .held: json.field("closed", "held")
        case .recalled(let reason):
            json.field("closed", "recalled")
            json.field("reason", reason)
        case nil: break
        }
    }

    /// Returns the number of units of an offer that can be bought now.
    private func left(_ row: OfferRow) -> Int {
        guard row.closing(at: now, in: tables) == nil else { return 0 }
        return (tables.get(StockRow.self, row.lot.rawValue)?.state.free ?? 0) / max(1, row.takes)
    }

    func stock(_ body: RequestBody) throws(Problem) -> Response {
        try page(StockRow.self, body, where: { _ in true }) { row, json in
            let lot = tables.get(MarketLotRow.self, row.key)
            json.field("lot", row.key)
            json.field("farm", ifPresent: lot?.farm)
            json.field("product", ifPresent: lot?.product)
            json.field("packed", lot?.packed ?? 0)
            json.field("boxes", row.state.boxes)
            json.field("held", row.state.held)
            json.field("ordered", row.state.ordered)
            json.field("collected", row.state.collected)
            json.field("free", lot?.isGone == true || lot?.holds.isHeld == true ? 0 : row.state.free)
            json.field("onHold", ifPresent: lot?.holds.isHeld == true ? true : nil)
            json.field("gone", ifPresent: lot?.isGone == true ? true : nil)
            json.field("blocked", ifPresent: row.state.blocked ?? lot?.recalled)
            json.field("waiting", ifPresent: tables.isWaiting(LotID(row.key)) ? true : nil)
        }
    }

    // MARK: Places and prices

    func pickups(_ body: RequestBody) throws(Problem) -> Response {
        let county = try body.optionalText("county")
        return try page(
            PickupRow.self, body, where: { !$0.isClosed && (county == nil || $0.place.county == county) }
        ) { row, json in
            row.place.write(fields: &json)
            json.field("farm", ifPresent: row.farm)
        }
    }

    /// Returns the current price of the lines `offer:quantity,offer:quantity`. Reserves no stock.
    func quote(_ body: RequestBody) throws(Problem) -> Response {
        let wishes = try body.text("lines").split(separator: ",").map { part throws(Problem) in
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, RequestBody.isName(String(halves[0])), let quantity = Int(halves[1]) else {
                throw Problem(400, "malformed", "lines: write offer:quantity, separated by commas.")
            }
            return CartItem(offer: OfferID(String(halves[0])), quantity: quantity)
        }
        let pickup = try body.optionalText("pickup", limit: 40).map { PickupID($0) }
        let commands = MarketCommands(tables: tables, ask: ask, now: now, hasSandbox: false)
        let basket = try commands.basket(wishes, at: pickup)
        return .made { json in
            json.field("lines", basket.lines)
            json.field("total", basket.total)
        }
    }
}
