import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import Recommender

/// A recommender in memory, for tests, with a hub of catalogue, order and erasure events that the test writes.
final class Shopfront {
    let core: ServiceRuntime<Recommender>
    let clock = VirtualClock()
    private(set) var hub: [Entry] = []
    private let origins: [String: MemoryLog]
    private var heard = 0
    private var asks: UInt64 = 0
    private var offers = 0
    private let room: Int
    private var levels = StockLevelModel()
    private var records = OrderRecordModel()

    static let epoch = Epoch(7)

    /// - Parameter room: the maximum number of products in the model.
    init(room: Int = RecommenderLimits.products) throws {
        self.room = room
        let origin = Origin(service: Recommender.name, site: "farm", slot: 0)
        core = ServiceRuntime(
            service: Recommender(room: room),
            log: try MemoryLog(feed: origin.description, why: "test", at: clock.now, chance: .seeded(1)),
            tables: try MemoryTables(Folding<Recommender>.schemas))
        var origins: [String: MemoryLog] = [:]
        for (seed, service) in ["catalog-orders", "sync-gateway"].enumerated() {
            origins[service] = try MemoryLog(
                feed: "\(service)/farm-0", why: "test", at: clock.now, chance: .seeded(UInt64(seed) + 2))
        }
        self.origins = origins
    }

    var now: Instant { clock.now }

    // MARK: The hub

    /// Writes an event into the hub, then the stock levels and the order's record that it changes.
    /// The recommender consumes them later.
    func write(
        _ event: any Event, at time: Instant? = nil, in stream: String = "test",
        as told: ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        try writeAlone(event, at: time, in: stream, as: told)
        guard let last = hub.last, let recorded = readable(last.bytes) else { return }
        for level in levels.apply(recorded.fact) { try writeAlone(level, at: time, in: "stock/\(level.lot)") { $0 } }
        guard case .orders(let fact) = recorded.fact, let news = records.apply(fact, at: time ?? now) else { return }
        try writeAlone(news, at: time, in: "order/\(news.record.order)") { $0 }
    }

    /// Returns the event of these bytes; nil if its type is not known.
    private func readable(_ bytes: [UInt8]) -> RecordedEvent? {
        do { return try RecordedEvent(reading: bytes) } catch { return nil }
    }

    private func writeAlone(
        _ event: any Event, at time: Instant?, in stream: String, as altered: ([UInt8]) -> [UInt8]
    ) throws {
        let service = event is PersonErased ? "sync-gateway" : "catalog-orders"
        let log = try #require(origins[service])
        let draft = Draft(event, in: stream, at: time ?? now, farm: FarmID("f1"), by: .service(service))
        _ = try log.stage(Commit([draft]), at: now)
        try log.commit()
        let last = log.head.position
        for entry in try log.reader().entries(from: last, through: last) { append(altered(entry.bytes)) }
    }

    /// Consumes an event of a type that the recommender does not know. It is parked, since it might be a recall of the
    /// lot.
    func hearRiddle(of lot: LotID) throws {
        try write(LotRecalled(lot: lot, includes: [], reason: "glass"), in: "lot/\(lot)") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            return Array(text.replacing(LotRecalled.name, with: "farm.furrow.trace.riddle.v1").utf8)
        }
        try hear()
    }

    func append(_ bytes: [UInt8]) {
        let hash = Array(repeating: UInt8(truncatingIfNeeded: hub.count), count: 32)
        hub.append(Entry(position: Position(hub.count + 1), hash: hash, bytes: bytes))
    }

    /// Lets the recommender consume all new events of the hub in pages of `size` events.
    func hear(pages size: Int = 100) throws {
        while heard < hub.count {
            let page = Array(hub[heard..<min(heard + size, hub.count)])
            let head = Head(
                feed: "hub", epoch: Self.epoch, position: Position(hub.count), hash: hub[hub.count - 1].hash)
            try core.consume(Page(head: head, entries: page), at: now)
            try release()
            heard += page.count
        }
    }

    func tell(_ event: any Event, at time: Instant? = nil) throws {
        try write(event, at: time)
        try hear()
    }

    /// Ticks until a model of all consumed events is solved.
    func settle(ticks: Int = 10) throws {
        for _ in 0..<ticks {
            clock.advance(bySeconds: 0.1)
            try core.take(.ticked(wall: now), at: now)
            try release()
        }
    }

    // MARK: The shop

    /// Lists a product with an offer and `boxes` boxes in stock.
    func list(_ product: String, boxes: Int = 100, isHeard: Bool = true) throws {
        let details = ProductDetails(title: product.prefix(1).uppercased() + product.dropFirst(), unit: "box")
        try write(ProductListed(product: ProductID(product), details: details))
        try write(StockSet(lot: LotID("L-\(product)"), boxes: boxes))
        try write(
            OfferPublished(
                offer: OfferID("o-\(product)"), product: ProductID(product), lot: LotID("L-\(product)"),
                price: Self.price, takes: 1, pickups: []))
        if isHeard { try hear() }
    }

    /// Records the harvest of a product's lot.
    func harvest(_ product: String, hoursAgo: Double) throws {
        let gtin = try #require(GTIN("04012345678901"))
        let event = Harvested(
            lot: LotID("L-\(product)"), gtin: gtin, product: product, plot: PlotID("p1"), grams: 1000, from: now)
        try tell(event, at: now.advanced(bySeconds: -3600 * hoursAgo))
    }

    static var price: Money {
        guard let euro = Currency("EUR") else { preconditionFailure("EUR is a currency") }
        return Money(300, euro)
    }

    func line(_ product: String, boxes: Int = 1) -> OrderLine {
        OrderLine(
            product: ProductID(product), lot: LotID("L-\(product)"), quantity: boxes, boxes: boxes,
            unitPrice: Self.price, amount: Self.price)
    }

    /// Places an order of one box of each product.
    func order(_ name: String, by person: String, _ products: [String], day: Int = 0, isHeard: Bool = true) throws {
        try write(
            OrderPlaced(
                order: OrderID(name), buyer: PersonID(person), lines: products.map { line($0) }, total: Self.price,
                pickup: PickupID("barn"), payment: .atPickup),
            at: now.advanced(bySeconds: Double(day) * 86_400))
        if isHeard { try hear() }
    }

    // MARK: Requests

    func ask(
        _ body: String, verb: String = "shelves", by actor: Actor = .service("sync-gateway")
    ) throws -> (status: Int, json: JSONValue) {
        asks += 1
        let ask = Request(
            id: asks, verb: verb, body: Array(body.utf8), actor: actor, key: nil,
            entropy: [])
        try core.take(.asked(ask), at: now)
        let answers = try release()
        let answer = try #require(answers.first)
        return (answer.status, try JSONValue.parse(answer.body))
    }

    /// Requests the shelves and returns the products on each, best first.
    func shelves(of person: String? = nil, with cart: String? = nil) throws -> [String: [String]] {
        let shelves = try told(of: person, with: cart)
        return try shelves.mapValues { items in try items.map { try $0.get("product") } }
    }

    func told(of person: String? = nil, with cart: String? = nil) throws -> [String: [JSONValue]] {
        var json = JSONWriter()
        json.object { json in
            json.field("person", ifPresent: person)
            json.field("with", ifPresent: cart)
        }
        let (status, answer) = try ask(json.text)
        #expect(status == 200)
        var shelves: [String: [JSONValue]] = [:]
        for shelf in try answer.get("shelves", as: [JSONValue].self) {
            shelves[try shelf.get("shelf")] = try shelf.get("items")
        }
        return shelves
    }

    /// Requests the picks of a day and returns their products.
    func picks(of person: String, on day: String) throws -> [String] {
        let (status, answer) = try ask(
            "{\"person\":\"\(person)\",\"day\":\"\(day)\",\"until\":\"2026-05-04T00:00:00Z\"}", verb: "picks")
        #expect(status == 200)
        return try answer.get("items", as: [JSONValue].self).map { try $0.get("product") }
    }

    func digest() throws -> String {
        try ask("{}").json.get("model", as: JSONValue.self).get("digest")
    }

    // MARK: Checking

    /// Returns the digests of tables rebuilt from the journal, and of the live tables.
    func rebuilt() throws -> (anew: [TableDigest], live: [TableDigest]) {
        let tables = try MemoryTables(Folding<Recommender>.schemas)
        let folding = Folding<Recommender>(of: core.log.head.feed, into: tables)
        for entry in try core.log.reader().entries(from: 1, through: core.log.head.position) {
            try folding.fold(entry) { _, checkpoint, last in
                Array(hub[Int(checkpoint?.position ?? 0)..<Int(last)])
            }
        }
        return (try tables.digests(), try core.tables.digests())
    }

    /// Returns another recommender that has consumed the same hub in pages of `size`, without the events for which
    /// `left` is true.
    func replayed(pages size: Int, but left: (RecordedEvent) -> Bool = { _ in false }) throws -> Shopfront {
        let other = try Shopfront(room: room)
        for entry in hub where try !left(RecordedEvent(reading: entry.bytes)) { other.append(entry.bytes) }
        try other.hear(pages: size)
        try other.settle()
        return other
    }

    func picksChosen() throws -> [PicksChosen] {
        try core.log.reader().entries(from: 1, through: core.log.head.position).compactMap { entry in
            guard case .recommendations(.picksChosen(let event)) = try RecordedEvent(reading: entry.bytes).fact else {
                return nil
            }
            return event
        }
    }

    func modelsTold() throws -> [ModelSolved] {
        try core.log.reader().entries(from: 1, through: core.log.head.position).compactMap { entry in
            guard case .recommendations(.modelSolved(let event)) = try RecordedEvent(reading: entry.bytes).fact else {
                return nil
            }
            return event
        }
    }

    /// Commits and returns the responses. Runs the jobs of workers at once.
    @discardableResult
    private func release() throws -> [Response] {
        var answers: [Response] = []
        for effect in try core.commit() {
            switch effect {
            case .reply(_, let answer): answers.append(answer)
            case .work(let token, let job):
                try core.take(.finished(token: token, result: job()), at: now)
                answers += try release()
            default: break
            }
        }
        return answers
    }
}
