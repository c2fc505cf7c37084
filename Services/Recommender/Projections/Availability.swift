import EventSourcing
import Events
import Vocabulary

/// The products that can be ordered, in memory.
///
/// After each event it reads only the lots that the event has changed. So a request for suggestions reads no stock.
struct Availability: Sendable {
    private var offers: [ProductID: [OfferID: RecommenderOfferRow]] = [:]
    private var products: [LotID: Set<ProductID>] = [:]
    /// What is in stock of each product, by its number: nil without an offer in stock.
    private var supplies: [Supply?] = []
    /// The products in stock by the end of their offers and by their newest harvest, and those with few units.
    private var ending = ProductsByTime()
    private var harvested = ProductsByTime()
    private var few: Set<Int> = []
    /// Whether the three are up to date: they are made once after the start.
    private var isIndexed = false
    /// Increases when a product joins or leaves one of the three, or its place in it changes.
    private(set) var indexState = 0
    private var listed: [ProductID: Int] = [:]

    /// The validity of an offer without an end.
    private static let always = Instant(microseconds: .max)

    // MARK: The start

    mutating func note(_ offer: RecommenderOfferRow) {
        offers[offer.product, default: [:]][offer.offer] = offer
        products[offer.lot, default: []].insert(offer.product)
    }

    // MARK: Queries

    /// Returns whether at least one unit of the product with this number can be ordered.
    func isAvailable(_ number: Int, at now: Instant) -> Bool {
        guard let supply = supply(of: number) else { return false }
        return now < supply.until
    }

    /// Returns what is in stock of a product; nil without an offer in stock.
    func supply(of number: Int) -> Supply? { number < supplies.count ? supplies[number] : nil }

    /// Returns whether an offer of the product remains when lots with parked events are left out.
    ///
    /// - Parameter streams: the streams with parked events.
    func isAvailable(
        _ product: ProductID, at now: Instant, without streams: Set<String>, seeing tables: some Tables
    ) -> Bool {
        offers[product, default: [:]].values.contains { offer in
            guard let lot = Self.stocked(offer, tables) else { return false }
            return now < offer.until ?? Self.always && !lot.waits(for: streams)
        }
    }

    /// Returns the lot of an offer if it has the boxes of one unit.
    private static func stocked(_ offer: RecommenderOfferRow, _ tables: some Tables) -> RecommenderLotRow? {
        guard !offer.isWithdrawn, let lot = tables.get(RecommenderLotRow.self, offer.lot.rawValue),
            lot.free >= max(offer.takes, 1)
        else { return nil }
        return lot
    }

    // MARK: Updates

    /// Evaluates a product whose row or offers changed.
    mutating func update(_ row: RecommenderProductRow, _ tables: some Tables) {
        listed[row.product] = row.isListed ? row.number : nil
        while supplies.count <= row.number { supplies.append(nil) }
        let before = supplies[row.number]
        let supply = row.isListed ? supply(of: row.product, tables) : nil
        supplies[row.number] = supply
        if isIndexed { index(row.number, before, supply) }
    }

    private func supply(of product: ProductID, _ tables: some Tables) -> Supply? {
        var supply: Supply?
        var units: [LotID: Int] = [:]
        for offer in offers[product, default: [:]].values {
            guard let lot = Self.stocked(offer, tables) else { continue }
            units[offer.lot] = max(units[offer.lot] ?? 0, lot.free / max(offer.takes, 1))
            let end = offer.until ?? Self.always
            supply = Supply(
                until: max(supply?.until ?? end, end), units: 0,
                harvested: [supply?.harvested, lot.harvested].compactMap { $0 }.max())
        }
        supply?.units = units.values.reduce(0, +)
        return supply
    }

    /// Makes the indexes, after all products were read.
    mutating func index() {
        let known = supplies.enumerated().compactMap { number, supply in supply.map { (number: number, supply: $0) } }
        ending = ProductsByTime(
            known.compactMap { one in Self.end(of: one.supply).map { .init(time: $0, product: one.number) } })
        harvested = ProductsByTime(
            known.compactMap { one in one.supply.harvested.map { .init(time: $0, product: one.number) } })
        few = Set(known.filter { $0.supply.units <= RecommenderLimits.fewUnits }.map(\.number))
        isIndexed = true
    }

    private mutating func index(_ number: Int, _ before: Supply?, _ after: Supply?) {
        func isFew(_ supply: Supply?) -> Bool { supply.map { $0.units <= RecommenderLimits.fewUnits } ?? false }
        let ends = (before.flatMap(Self.end), after.flatMap(Self.end))
        ending.move(number, from: ends.0, to: ends.1)
        harvested.move(number, from: before?.harvested, to: after?.harvested)
        if isFew(after) { few.insert(number) } else { few.remove(number) }
        if ends.0 != ends.1 || before?.harvested != after?.harvested || isFew(before) != isFew(after) {
            indexState += 1
        }
    }

    private static func end(of supply: Supply) -> Instant? { supply.until == always ? nil : supply.until }

    /// Returns the products that may have to be bought soon, each once, in no order: those whose offers end, of which
    /// few are left, or which were just harvested.
    func toBuySoon(at now: Instant) -> Set<Int> {
        let day = 86_400.0
        return
            few
            .union(ending.products(through: now.advanced(bySeconds: Double(RecommenderLimits.endingDays) * day)))
            .union(harvested.products(from: now.advanced(bySeconds: -Double(RecommenderLimits.freshDays) * day)))
    }

    /// Reads an offer again that an event has changed, and returns its product.
    mutating func refresh(_ offer: OfferID, _ tables: some Tables) -> ProductID? {
        guard let row = tables.get(RecommenderOfferRow.self, offer.rawValue) else { return nil }
        note(row)
        return row.product
    }

    /// Returns the products whose stock an event has changed.
    func touched(by event: RecordedEvent) -> Set<ProductID> {
        var touched: Set<ProductID> = []
        for lot in Self.lots(touchedBy: event) {
            for product in products[lot] ?? [] where listed[product] != nil { touched.insert(product) }
        }
        return touched
    }

    private static func lots(touchedBy event: RecordedEvent) -> [LotID] {
        switch event.fact {
        case .catalog(.stockLevelChanged(let event)): [event.lot]
        case .catalog(.lotBlocked(let event)): [event.lot]
        case .trace(.handedOver(let event)): [event.lot]
        case .trace(.harvested(let event)): [event.lot]
        case .trace(.lotSplit(let event)): [event.into]
        case .trace(.lotRecalled(let event)): [event.lot] + event.includes
        case .trace(let fact): fact.holdChange?.lots ?? []
        case .catalog, .orders, .inventory, .sync, .journal, .sensors, .recommendations: []
        }
    }
}
