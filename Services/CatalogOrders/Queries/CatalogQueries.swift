import EventSourcing
import Events
import Vocabulary
import Wire

/// The public queries: farms, products, offers and pick-up points, and the stock for the staff.
extension MarketQueries {
    // MARK: Farms

    func directory(_ query: DirectoryQuery) -> ResponsePage<FarmResponse> {
        page(MarketFarmRow.self, after: query.after) { row in
            row.isListed && (query.county == nil || row.profile.county == query.county) ? response(row) : nil
        }
    }

    func farm(_ query: DirectoryFarmQuery) throws(Problem) -> FarmWithProducts {
        guard let row = tables.get(MarketFarmRow.self, query.farm.rawValue), row.isListed else {
            throw Problem(404, "unknown-farm", "The directory has no farm \(query.farm).")
        }
        // Limited to one page; further products are listed by the products query.
        let products = tables.find(ProductRow.self, where: "farm", is: row.key, limit: MarketLimits.pageRows)
            .lazy.filter { !$0.isWithdrawn }.prefix(MarketLimits.pageItems)
        return FarmWithProducts(farm: response(row), products: products.map(response))
    }

    /// Returns the counties that have farms in the directory, with the number of farms.
    func counties() -> ResponsePage<CountyResponse> {
        var counts: [String: Int] = [:]
        for row in tables.scan(MarketFarmRow.self, limit: MarketLimits.pageRows) where row.isListed {
            if let county = row.profile.county { counts[county, default: 0] += 1 }
        }
        return ResponsePage(counts.sorted { $0.key < $1.key }.map { CountyResponse(county: $0.key, farms: $0.value) })
    }

    private func response(_ row: MarketFarmRow) -> FarmResponse {
        FarmResponse(farm: FarmID(row.key), zone: row.zone, profile: row.profile)
    }

    // MARK: Products

    func products(_ query: ProductsQuery) -> ResponsePage<ProductResponse> {
        let (category, words) = (query.category?.lowercased(), query.q?.lowercased())
        return page(ProductRow.self, after: query.after) { row in
            guard !row.isWithdrawn, query.farm == nil || row.farm == query.farm,
                category == nil || row.details.category == category,
                words.map({ row.details.title.lowercased().contains($0) }) ?? true
            else { return nil }
            return response(row)
        }
    }

    func product(_ query: ProductQuery) throws(Problem) -> ProductWithOffers {
        guard let row = tables.get(ProductRow.self, query.product.rawValue) else {
            throw Problem(404, "unknown-product", "There is no product \(query.product).")
        }
        return ProductWithOffers(
            product: response(row), withdrawn: row.isWithdrawn, offers: offers(of: row).map(response))
    }

    /// Returns the offers on sale now, then a limited number of others that are not withdrawn.
    private func offers(of row: ProductRow) -> [OfferRow] {
        let now = tables.offers(of: row.key, onSaleAt: now)
        let names = Set(now.map(\.key))
        let some = tables.find(OfferRow.self, where: "product", is: row.key, limit: MarketLimits.offers)
        return now + some.filter { !$0.isWithdrawn && !names.contains($0.key) }
    }

    private func response(_ row: ProductRow) -> ProductResponse {
        let onSale = tables.offers(of: row.key, onSaleAt: now)
        onSale.forEach(nextEnd.note)
        let open = onSale.filter { $0.closing(at: now, in: tables) == nil }
        // Offers of one lot share its boxes, so each lot is counted once.
        let units = Dictionary(open.map { ($0.lot, left($0)) }, uniquingKeysWith: max)
        return ProductResponse(
            product: ProductID(row.key), farm: row.farm,
            farmTitle: tables.get(MarketFarmRow.self, row.farm.rawValue)?.profile.title, details: row.details,
            from: lowestPrice(of: open), left: units.values.reduce(0, +))
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

    func offers(_ query: OffersQuery) -> ResponsePage<OfferResponse> {
        page(OfferRow.self, after: query.after) { row in
            guard !row.isWithdrawn, query.farm == nil || row.farm == query.farm,
                query.product == nil || row.product == query.product, query.lot == nil || row.lot == query.lot,
                query.pickup.map({ row.pickups.isEmpty || row.pickups.contains($0) }) ?? true
            else { return nil }
            return response(row)
        }
    }

    private func response(_ row: OfferRow) -> OfferResponse {
        nextEnd.note(row)
        let details = tables.get(ProductRow.self, row.product.rawValue)?.details
        let closing = row.closing(at: now, in: tables)
        var reason: String?
        if case .recalled(let why) = closing { reason = why }
        return OfferResponse(
            offer: OfferID(row.key), product: row.product, title: details?.title, unit: details?.unit,
            picture: details?.picture, thumbnail: details?.thumbnail, farm: row.farm, lot: row.lot,
            harvested: tables.get(MarketLotRow.self, row.lot.rawValue)?.harvested, price: row.price, takes: row.takes,
            pickups: row.pickups, until: row.until, left: left(row), closed: closing?.response, reason: reason)
    }

    /// Returns the number of units of an offer that can be bought now.
    private func left(_ row: OfferRow) -> Int {
        guard row.closing(at: now, in: tables) == nil else { return 0 }
        return (tables.get(StockRow.self, row.lot.rawValue)?.state.free ?? 0) / max(1, row.takes)
    }

    func stock(_ query: StockQuery) -> ResponsePage<StockResponse> {
        page(StockRow.self, after: query.after) { row in
            let lot = tables.get(MarketLotRow.self, row.key)
            let isHeld = lot?.holds.isHeld == true
            return StockResponse(
                lot: LotID(row.key), farm: lot?.farm, product: lot?.product, packed: lot?.packed ?? 0,
                boxes: row.state.boxes, held: row.state.held, ordered: row.state.ordered,
                collected: row.state.collected, free: lot?.isGone == true || isHeld ? 0 : row.state.free,
                onHold: isHeld ? true : nil, gone: lot?.isGone == true ? true : nil,
                blocked: row.state.blocked ?? lot?.recalled, waiting: tables.isWaiting(LotID(row.key)) ? true : nil)
        }
    }

    // MARK: Places and prices

    func pickups(_ query: PickupsQuery) -> ResponsePage<PickupResponse> {
        page(PickupRow.self, after: query.after) { row in
            guard !row.isClosed, query.county == nil || row.place.county == query.county else { return nil }
            return PickupResponse(place: row.place, farm: row.farm)
        }
    }

    /// Returns the current price of the lines `offer:quantity,offer:quantity`. Reserves no stock.
    func quote(_ query: QuoteQuery) throws(Problem) -> QuoteResponse {
        let wishes = try query.lines.split(separator: ",").map { part throws(Problem) in
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, RequestBody.isName(String(halves[0])), let quantity = Int(halves[1]) else {
                throw Problem(400, "malformed", "lines: write offer:quantity, separated by commas.")
            }
            return CartItem(offer: OfferID(String(halves[0])), quantity: quantity)
        }
        let commands = MarketCommands(tables: tables, ask: ask, now: now, hasSandbox: false)
        let basket = try commands.basket(wishes, at: query.pickup)
        return QuoteResponse(lines: basket.lines, total: basket.total)
    }
}

extension Basket.Closing {
    fileprivate var response: OfferClosing {
        switch self {
        case .withdrawn: .withdrawn
        case .over: .over
        case .gone: .gone
        case .waiting: .waiting
        case .held: .held
        case .recalled: .recalled
        }
    }
}
