import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vault
public import Vocabulary

@testable import CatalogOrders

/// A market without sockets, for tests: its service runtime, a real vault, a virtual clock, and a hub in memory.
final class Market {
    let core: ServiceRuntime<CatalogOrders>
    let vault: Vault
    let clock = VirtualClock()
    let hub: MemoryLog
    private var heard: Position = 0
    private var asks: UInt64 = 0

    static let farm = FarmID("f1")

    init(
        in folder: String, hasSandbox: Bool = true, contacts: (Vault) -> Contacts = { Contacts($0) }
    ) throws {
        let origin = Origin(service: CatalogOrders.name, site: "farm", slot: 0)
        let log = try MemoryLog(feed: origin.description, why: "test", at: clock.now, chance: .seeded(1))
        vault = try Vault(path: "\(folder)/vault.db")
        core = ServiceRuntime(
            service: CatalogOrders(contacts(vault), hasSandbox: hasSandbox), log: log,
            tables: try MemoryTables(Folding<CatalogOrders>.schemas))
        hub = try MemoryLog(feed: "trace-ledger/farm-0", why: "test", at: clock.now, chance: .seeded(2))
    }

    /// Returns a market with a farm, two packed lots of 100 and 10 boxes, an offer of each, and a pick-up point.
    static func open(in folder: String, hasSandbox: Bool = true) throws -> Market {
        let market = try Market(in: folder, hasSandbox: hasSandbox)
        try market.hear(FarmFounded(title: "Sunny Hill", zone: "Europe/Vienna"), farm: farm)
        for (lot, boxes) in [("L1", 100), ("L2", 10)] { try market.pack(lot, boxes: boxes) }
        try market.staff("open-pickup", #"{"pickup":"barn","title":"At the barn","farm":"f1"}"#)
        for (product, lot, boxes, price) in [("tomatoes", "L1", 100, 1290), ("eggs", "L2", 10, 390)] {
            try market.staff(
                "list-product", #"{"product":"\#(product)","farm":"f1","title":"\#(product)","unit":"box"}"#)
            try market.staff("set-stock", #"{"lot":"\#(lot)","boxes":\#(boxes)}"#)
            try market.staff(
                "publish-offer",
                """
                {"offer":"\(product)-1","product":"\(product)","lot":"\(lot)",
                 "price":{"minor":\(price),"currency":"EUR"}}
                """)
        }
        return market
    }

    var now: Instant { clock.now }

    func pass(seconds: Double) throws {
        clock.advance(bySeconds: seconds)
        try core.take(.ticked(wall: now), at: now)
        _ = try core.commit()
    }

    // MARK: Requests

    @discardableResult
    func ask(
        _ verb: String, _ body: String = "{}", by actor: Actor, key: String? = nil
    ) throws -> (status: Int, json: JSONValue) {
        asks += 1
        var random = SplitMix64(seed: asks)
        let ask = Request(
            id: asks, verb: verb, body: Array(body.utf8), actor: actor, key: key ?? "key-\(asks)",
            entropy: random.bytes(16))
        try core.take(.asked(ask), at: now)
        let answers = try core.commit().compactMap { effect in
            if case .reply(_, let answer) = effect { answer } else { nil }
        }
        let answer = try #require(answers.first, "no response to \(verb)")
        return (answer.status, try JSONValue.parse(answer.body))
    }

    @discardableResult
    func staff(
        _ verb: String, _ body: String = "{}", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        try done(verb, body, by: .person("gina"), sourceLocation)
    }

    @discardableResult
    func buyer(
        _ name: String, _ verb: String, _ body: String = "{}", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        try done(verb, body, by: .person(PersonID(name)), sourceLocation)
    }

    /// Sends a report of the payment provider.
    @discardableResult
    func provider(_ body: String, key: String? = nil) throws -> (status: Int, json: JSONValue) {
        try ask("tell-payment", body, by: .service("sync-gateway"), key: key)
    }

    private func done(
        _ verb: String, _ body: String, by actor: Actor, _ sourceLocation: SourceLocation
    ) throws -> JSONValue {
        let (status, json) = try ask(verb, body, by: actor)
        #expect((200...299).contains(status), "\(verb): \(json)", sourceLocation: sourceLocation)
        return json
    }

    /// Marks the hub as fully consumed and advances the clock until unresolved references are refused with 404.
    func settle() throws {
        core.update(isUpToDate: true)
        try pass(seconds: 3)
    }

    /// Sends a request that must be refused with problem details and record no event. Returns status and title.
    func refusal(_ name: String, _ verb: String, _ body: String) throws -> String {
        let head = core.log.head.position
        let (status, json) = try ask(verb, body, by: .person(PersonID(name)))
        #expect(core.log.head.position == head, "a refusal recorded an event")
        #expect(try json.get("status", as: Int.self) == status)
        return "\(status) \(try json.get("title", as: String.self))"
    }

    /// Places an order of `quantity` units of one offer.
    @discardableResult
    func order(
        _ name: String, _ quantity: Int, of offer: String = "tomatoes-1", payment: String = "at-pickup"
    ) throws -> JSONValue {
        try buyer(name, "place-order", Self.wish(quantity, of: offer, payment: payment))
    }

    static func wish(_ quantity: Int, of offer: String = "tomatoes-1", payment: String = "at-pickup") -> String {
        #"{"lines":[{"offer":"\#(offer)","quantity":\#(quantity)}],"pickup":"barn","payment":"\#(payment)"}"#
    }

    // MARK: Consumed events

    func pack(_ lot: String, boxes: Int) throws {
        let gtin = try #require(GTIN.restricted(1))
        try hear(
            Harvested(
                lot: LotID(lot), gtin: gtin, product: "P", plot: PlotID("p1"), grams: 1_000_000, from: now),
            farm: Self.farm)
        let serials = (0..<boxes).map { "SERIAL\($0)" }
        try hear(Packed(lot: LotID(lot), gramsEach: 10, serials: serials), farm: Self.farm)
    }

    func recall(_ lot: String, includes: [String] = []) throws {
        try hear(
            LotRecalled(lot: LotID(lot), includes: includes.map { LotID($0) }, reason: "glass"), farm: Self.farm)
    }

    /// Consumes an event of a type that the market does not know. It is parked, since it might be a recall of the lot.
    func hearRiddle(of lot: String) throws {
        try hear(LotRecalled(lot: LotID(lot), includes: [], reason: "glass"), in: "lot/\(lot)") { entry in
            let text = String(decoding: entry.bytes, as: UTF8.self)
            let bytes = Array(text.replacing(LotRecalled.name, with: "farm.furrow.trace.riddle.v1").utf8)
            return Entry(position: entry.position, hash: entry.hash, bytes: bytes)
        }
    }

    func hear(
        _ event: any Event, farm: FarmID? = nil, in stream: String = "test", as told: (Entry) -> Entry = { $0 }
    ) throws {
        try hear([event], farm: farm, in: stream, as: told)
    }

    /// Consumes the events in one page of the hub.
    func hear(
        _ events: [any Event], farm: FarmID? = nil, in stream: String = "test", as told: (Entry) -> Entry = { $0 }
    ) throws {
        let drafts = events.map { Draft($0, in: stream, farm: farm, by: .service("trace-ledger")) }
        _ = try hub.stage(Commit(drafts), at: now)
        try hub.commit()
        let entries = try hub.reader().entries(from: heard + 1, through: hub.head.position).map(told)
        try core.consume(Page(head: hub.head, entries: entries), at: now)
        _ = try core.commit()
        heard = hub.head.position
    }

    // MARK: State

    func stock(_ lot: String) -> Stock.State {
        core.tables.get(StockRow.self, lot)?.state ?? Stock.initial
    }

    func state(of order: String) throws -> Order.State {
        try #require(core.tables.get(OrderRow.self, order)).state
    }

    func payment(of order: String) throws -> String {
        let rows = core.tables.find(PaymentRow.self, where: "orders", is: order, limit: 10)
        return try #require(rows.first).key
    }

    func facts(after position: Position = 0) throws -> [RecordedEvent] {
        guard core.log.head.position > position else { return [] }
        return try core.log.reader().entries(from: position + 1, through: core.log.head.position).map {
            try RecordedEvent(reading: $0.bytes)
        }
    }

    func count(_ name: String) throws -> Int { try facts().count { $0.envelope.name == name } }

    /// Returns the digests of tables rebuilt from the journal, and of the live tables.
    func rebuilt() throws -> (anew: [TableDigest], live: [TableDigest]) {
        let tables = try MemoryTables(Folding<CatalogOrders>.schemas)
        let folding = Folding<CatalogOrders>(of: core.log.head.feed, into: tables)
        for entry in try core.log.reader().entries(from: 1, through: core.log.head.position) {
            try folding.fold(entry) { _, checkpoint, last in
                try hub.reader().entries(from: (checkpoint?.position ?? 0) + 1, through: last)
            }
        }
        return (try tables.digests(), try core.tables.digests())
    }
}

extension ID: ExpressibleByUnicodeScalarLiteral {}
extension ID: ExpressibleByExtendedGraphemeClusterLiteral {}
extension ID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
