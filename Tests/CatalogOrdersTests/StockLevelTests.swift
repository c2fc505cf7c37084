import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vault
import Vocabulary

@testable import CatalogOrders

/// The levels of stock that the market publishes, beside a model of them that was written apart from it.
@Suite("Stock levels")
struct StockLevelTests {
    private static let schedules = 40
    private static let steps = 60

    @Test func `each commit publishes the levels that it changes, and no others`() throws {
        var published = 0
        for seed in 0..<Self.schedules {
            try withTemporaryDirectory { folder in
                let shop = try WatchedMarket(in: folder)
                var random = SplitMix64(seed: UInt64(seed))
                for _ in 0..<Self.steps { published += try shop.step(&random) }
                published += try shop.recall("L1")
                #expect(shop.level(of: "L1")?.free == 0)
                let (rebuilt, live) = try shop.market.rebuilt()
                #expect(rebuilt == live, "seed \(seed)")
            }
        }
        print("stock levels: \(published) published in \(Self.schedules) schedules of \(Self.steps) steps")
        #expect(published > Self.schedules * 20)
    }

    @Test func `a level has the correlation of the request that changed it`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let before = market.core.log.head.position
            try market.order("anna", 3)
            let facts = try market.facts(after: before)
            #expect(facts.map(\.envelope.name) == [OrderPlaced.name, StockLevelChanged.name, OrderRecordChanged.name])
            #expect(facts[0].envelope.correlation != nil)
            #expect(facts[1].envelope.correlation == facts[0].envelope.correlation)
        }
    }

    @Test func `after an upgrade one level is published for each lot that has boxes`() throws {
        try withTemporaryDirectory { folder in
            let clock = VirtualClock()
            let origin = Origin(service: CatalogOrders.name, site: "farm", slot: 0)
            let log = try MemoryLog(feed: origin.description, why: "test", at: clock.now, chance: .seeded(1))
            // What a version recorded that published no levels.
            let old: [any Event] = [
                StockSet(lot: "L1", boxes: 10), StockSet(lot: "L2", boxes: 4), StockSet(lot: "L3", boxes: 0),
                StockAdjusted(lot: "L2", by: -1, reason: "mice"),
            ]
            _ = try log.stage(
                Commit(old.map { Draft($0, in: "stock", by: .service(CatalogOrders.name)) }), at: clock.now)
            try log.commit()
            let tables = try MemoryTables(Folding<CatalogOrders>.schemas)
            let folding = Folding<CatalogOrders>(of: origin.description, into: tables)
            for entry in try log.reader().entries(from: 1, through: log.head.position) {
                folding.fold(own: try RecordedEvent(reading: entry.bytes))
            }
            let vault = try Vault(path: "\(folder)/vault.db")
            let runtime = ServiceRuntime(service: CatalogOrders(vault: vault), log: log, tables: tables)
            for _ in 0..<3 {
                try runtime.take(.ticked(wall: clock.now), at: clock.now)
                _ = try runtime.commit()
            }
            let levels = try log.reader().entries(from: 5, through: log.head.position).compactMap { entry in
                if case .catalog(.stockLevelChanged(let level)) = try RecordedEvent(reading: entry.bytes).fact {
                    level
                } else {
                    nil
                }
            }
            #expect(
                levels == [
                    StockLevelChanged(lot: "L1", boxes: 10, held: 0, ordered: 0, free: 10),
                    StockLevelChanged(lot: "L2", boxes: 3, held: 0, ordered: 0, free: 3),
                ])
        }
    }
}

/// A market and the model of its levels, which is compared after every commit.
private final class WatchedMarket {
    let market: Market
    private var model = StockLevelModel()
    private var published: [LotID: StockLevelChanged] = [:]
    private var read: Position = 0
    private var orders: [String] = []
    private var isHeld = false

    init(in folder: String) throws {
        market = try Market.open(in: folder)
        _ = try compare(after: [])
    }

    func level(of lot: LotID) -> StockLevelChanged? { published[lot] }

    func recall(_ lot: LotID) throws -> Int {
        try market.recall(lot.rawValue)
        return try compare(after: [.trace(.lotRecalled(LotRecalled(lot: lot, includes: [], reason: "glass")))])
    }

    /// Does one random thing and returns how many levels were published.
    func step(_ random: inout SplitMix64) throws -> Int {
        let buyer = Actor.person(PersonID("b\(Int.random(in: 0..<4, using: &random))"))
        let offer = Bool.random(using: &random) ? "tomatoes-1" : "eggs-1"
        let lines = #""lines":[{"offer":"\#(offer)","quantity":\#(Int.random(in: 1...4, using: &random))}]"#
        let order = orders.randomElement(using: &random) ?? "none"
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            let placed = try market.ask("place-order", #"{\#(lines),"pickup":"barn"}"#, by: buyer)
            if placed.status == 201 { orders.append(try placed.json.get("order")) }
        case 2: try market.ask("hold-cart", "{\(lines)}", by: buyer)
        case 3: try market.ask("empty-cart", by: buyer)
        case 4:
            let owner = market.core.tables.get(OrderRow.self, order)?.state.placed?.buyer
            try market.ask(
                "change-order", #"{"order":"\#(order)",\#(lines)}"#, by: owner.map { .person($0) } ?? buyer)
        case 5: try market.ask("call-off-order", #"{"order":"\#(order)","reason":"rain"}"#, by: .person("gina"))
        case 6: try market.ask("collect-order", #"{"order":"\#(order)"}"#, by: .person("gina"))
        case 7:
            let by = Int.random(in: -2...2, using: &random)
            try market.ask("adjust-stock", #"{"lot":"L1","by":\#(by),"reason":"counted"}"#, by: .person("gina"))
        default: return try hold()
        }
        return try compare(after: [])
    }

    /// Puts a lot on hold, or ends that.
    private func hold() throws -> Int {
        let fact: TraceEvent =
            isHeld
            ? .lotHoldLifted(LotHoldLifted(lot: "L2", includes: [], activity: "a1", reason: "corrected"))
            : .lotHeld(LotHeld(lot: "L2", includes: [], activity: "a1", until: market.now, reason: "sprayed"))
        isHeld.toggle()
        try market.hear(fact.event)
        return try compare(after: [.trace(fact)])
    }

    /// Compares what the last commit published with the model.
    private func compare(after consumed: [EventPayload]) throws -> Int {
        var expected: [LotID: StockLevelChanged] = [:]
        for fact in consumed { for level in model.apply(fact) { expected[level.lot] = level } }
        var news: [LotID: StockLevelChanged] = [:]
        for fact in try market.facts(after: read).map(\.fact) {
            for level in model.apply(fact) { expected[level.lot] = level }
            guard case .catalog(.stockLevelChanged(let level)) = fact else { continue }
            #expect(level != published[level.lot], "\(level) was published already")
            news[level.lot] = level
        }
        read = market.core.log.head.position
        published.merge(news) { $1 }
        #expect(published == model.levels)
        #expect(Set(news.keys).isSubset(of: expected.keys))
        #expect(market.core.tables.scan(UnpublishedLevelRow.self, limit: 10).isEmpty)
        return news.count
    }
}
