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

/// The records of orders that the market publishes, which its pages and the sync gateway show.
@Suite("Order records")
struct OrderRecordTests {
    @Test func `the response to a change of an order is the record that its commit publishes`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("anna", 3).get("order")
            let line = #""lines":[{"offer":"tomatoes-1","quantity":2}]"#
            var compared = 0
            func compare(_ verb: String, _ body: String, by actor: Actor) throws {
                let before = market.core.log.head.position
                let (status, json) = try market.ask(verb, body, by: actor)
                #expect((200...299).contains(status), "\(verb): \(json)")
                let records = try market.facts(after: before).compactMap { recorded in
                    if case .orders(.orderRecordChanged(let event)) = recorded.fact { event } else { nil }
                }
                #expect(records.map(\.record) == [try OrderRecord(json: json)], "\(verb)")
                #expect(records.map(\.buyer) == ["anna"])
                compared += 1
            }
            try compare("change-order", #"{"order":"\#(order)",\#(line)}"#, by: .person("anna"))
            market.clock.advance(bySeconds: 60)
            try compare("collect-order", #"{"order":"\#(order)"}"#, by: .person("gina"))
            try compare(
                "refund-order",
                #"{"order":"\#(order)","amount":{"minor":500,"currency":"EUR"},"reason":"bruised"}"#,
                by: .person("gina"))
            let other: String = try market.order("anna", 1, payment: "sandbox").get("order")
            try compare("cancel-order", #"{"order":"\#(other)","reason":"rain"}"#, by: .person("anna"))
            print("order records: \(compared) responses")
            #expect(compared == 4)
        }
    }

    @Test func `no record of an erased buyer's order is published`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let order: String = try market.order("anna", 3).get("order")
            try market.hear(PersonErased(person: "anna"))
            let before = market.core.log.head.position
            try market.staff("collect-order", #"{"order":"\#(order)"}"#)
            let names = try market.facts(after: before).map(\.envelope.name)
            #expect(names.contains(OrderCollected.name) && !names.contains(OrderRecordChanged.name))
            let (rebuilt, live) = try market.rebuilt()
            #expect(rebuilt == live)
        }
    }

    @Test func `after an upgrade the record of each order is published once`() throws {
        try withTemporaryDirectory { folder in
            let clock = VirtualClock()
            let origin = Origin(service: CatalogOrders.name, site: "farm", slot: 0)
            let log = try MemoryLog(feed: origin.description, why: "test", at: clock.now, chance: .seeded(1))
            let euro = try #require(Currency("EUR"))
            // What a version recorded that published no records; one commit publishes at most 256.
            let count = EventLimits.decisionEvents + 40
            for start in stride(from: 0, to: count, by: EventLimits.decisionEvents) {
                let orders = (start..<min(start + EventLimits.decisionEvents, count)).map { number in
                    OrderPlaced(
                        order: OrderID("o\(number)"), buyer: "anna", lines: [], total: Money(0, euro), pickup: "barn",
                        payment: .atPickup)
                }
                _ = try log.stage(
                    Commit(orders.map { Draft($0, in: "order/\($0.order)", by: .service(CatalogOrders.name)) }),
                    at: clock.now)
            }
            try log.commit()
            let tables = try MemoryTables(Folding<CatalogOrders>.schemas)
            let folding = Folding<CatalogOrders>(of: origin.description, into: tables)
            let old = log.head.position
            for entry in try log.reader().entries(from: 1, through: old) {
                folding.fold(own: try RecordedEvent(reading: entry.bytes))
            }
            let vault = try Vault(path: "\(folder)/vault.db")
            let runtime = ServiceRuntime(service: CatalogOrders(vault: vault), log: log, tables: tables)
            for _ in 0..<3 {
                try runtime.take(.ticked(wall: clock.now), at: clock.now)
                _ = try runtime.commit()
            }
            let published = try log.reader().entries(from: old + 1, through: log.head.position).compactMap { entry in
                if case .orders(.orderRecordChanged(let event)) = try RecordedEvent(reading: entry.bytes).fact {
                    event.record.order
                } else {
                    nil
                }
            }
            #expect(published.count == count && Set(published).count == count)
        }
    }
}

/// Compares the records that a market publishes with a model that was written apart from it.
struct OrderRecordWatch {
    private var model = OrderRecordModel()
    private var published: [OrderID: OrderRecord] = [:]
    private var position: Position = 0

    /// Compares what was published since the last call; requires that everything is committed. Returns its number.
    mutating func compare(_ market: Market) throws -> Int {
        var count = 0
        for recorded in try market.facts(after: position) {
            guard case .orders(let fact) = recorded.fact else { continue }
            if case .orderRecordChanged(let event) = fact {
                published[event.record.order] = event.record
                count += 1
            } else {
                _ = model.apply(fact, at: recorded.envelope.time)
            }
        }
        position = market.core.log.head.position
        #expect(published == model.records)
        return count
    }
}
