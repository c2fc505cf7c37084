import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Alarms of goods in a store")
struct GoodsTests {
    private static let address = "cbb8334c884f"

    /// A sensor-ingest with a point in a cold store, and the ledger's journal, which it receives through the hub.
    private final class Farm {
        let bench: Bench
        private let ledger: MemoryLog
        private var delivered: Position = 0
        private var number: UInt8 = 0

        init() throws {
            bench = try Bench()
            ledger = try MemoryLog(feed: "trace-ledger/farm-0", why: "test", at: bench.now, chance: .seeded(9))
            #expect(
                try bench.ask(
                    "bind-point",
                    #"{"point":"p1","title":"Shelf","place":"store/cold","device":"ble:\#(GoodsTests.address)"}"#
                ).status == 200)
            #expect(
                try bench.ask("set-on-call", #"{"steps":[{"afterMinutes":0,"people":["anna"]}]}"#).status == 200)
        }

        /// Publishes and delivers the goods in the store. `age`: seconds since they were stored.
        func store(_ kinds: [(goods: String, below: Double, above: Double)], age: Double = 0) throws {
            try publish(kinds, age: age)
            try deliver()
        }

        func publish(_ kinds: [(goods: String, below: Double, above: Double)], age: Double = 0) throws {
            let goods = kinds.map { kind in
                StoredGoods(
                    goods: kind.goods, title: kind.goods.prefix(1).uppercased() + kind.goods.dropFirst(),
                    limits: [GoodsLimit(quantity: .temperature, above: kind.above, below: kind.below)],
                    lots: [LotID("L-\(kind.goods.uppercased())")], others: 0)
            }
            let (needed, tolerated) = (kinds.map(\.below).max() ?? 0, kinds.map(\.above).min() ?? 1)
            let conflict = GoodsConflict(
                quantity: .temperature, needed: needed, tolerated: tolerated, needing: kinds.map(\.goods),
                tolerating: [])
            let event = StorageLimitsChanged(
                store: StoreID("cold"), title: "Cold store", goods: goods,
                conflicts: needed > tolerated ? [conflict] : [])
            let time = bench.now.advanced(bySeconds: -age)
            _ = try ledger.stage(
                Commit([Draft(event, in: "store/cold", at: time, by: .service("trace-ledger"))]), at: bench.now)
            try ledger.commit()
        }

        func deliver() throws {
            let entries = try ledger.reader().entries(from: delivered + 1, through: ledger.head.position)
            try bench.core.consume(Page(head: ledger.head, entries: entries), at: bench.now)
            _ = try bench.core.commit()
            delivered = ledger.head.position
        }

        func measure(_ celsius: Double) throws {
            bench.clock.advance(bySeconds: 60)
            number += 1
            _ = try bench.ask("ingest-adverts", Bench.ruuvi(celsius, number, from: GoodsTests.address, at: bench.now))
        }

        func rules() throws -> [String] {
            let items: [RuleSet] = try bench.ask("rules", "{}").json.get("items")
            return items.map(\.rule.rawValue)
        }

        func alarms() throws -> [String] {
            try bench.journal().compactMap { recorded in
                switch recorded.fact {
                case .alarmRaised(let event): "raised \(event.rule) \(event.goods ?? "-") \(event.lots)"
                case .alarmCleared(let event): "cleared \(event.rule)"
                case .alarmNotificationRequested(let event): "notified \(event.title) \(event.goods ?? "-")"
                default: nil
                }
            }
        }
    }

    @Test func `a value beyond the limit of stored goods raises an alarm that names their lots`() throws {
        let farm = try Farm()
        try farm.measure(9)
        #expect(try farm.alarms().isEmpty, "no goods are stored there yet")
        try farm.store([("carrots", -0.5, 2)])
        try farm.measure(9)
        #expect(
            try farm.alarms() == [
                "raised goods-carrots-temperature Carrots [L-CARROTS]", "notified Shelf Carrots",
            ])
        #expect(try farm.rules() == ["goods-carrots-temperature"])
        // The alarm ends when the goods leave, because no later value is judged.
        try farm.store([])
        #expect(try farm.alarms().last == "cleared goods-carrots-temperature")
        try farm.measure(9)
        #expect(try farm.alarms().count == 3)
    }

    @Test func `goods whose limits exclude each other raise one alarm until one of them leaves`() throws {
        let farm = try Farm()
        try farm.store([("carrots", -0.5, 2)])
        try farm.store([("carrots", -0.5, 2), ("tomatoes", 7, 13)])
        try farm.store([("carrots", -0.5, 2), ("melons", 7, 13), ("tomatoes", 7, 13)])
        #expect(
            try farm.alarms() == [
                "raised goods-conflict Carrots, Tomatoes [L-CARROTS, L-TOMATOES]",
                "notified Cold store Carrots, Tomatoes",
            ])
        #expect(
            try farm.bench.ask("acknowledge-alarm", #"{"rule":"goods-conflict","point":"cold"}"#).status == 200)
        try farm.store([("tomatoes", 7, 13)])
        #expect(try farm.alarms().last == "cleared goods-conflict")
    }

    @Test func `of several changes of a store that arrive together, the last decides about the conflict`() throws {
        let (carrots, both) = ([("carrots", -0.5, 2.0)], [("carrots", -0.5, 2.0), ("tomatoes", 7, 13)])
        let ended = try Farm()
        try ended.publish(both)
        try ended.publish(carrots)
        try ended.deliver()
        #expect(try ended.alarms().isEmpty)
        let returned = try Farm()
        try returned.store(both)
        try returned.publish(carrots)
        try returned.publish(both)
        try returned.deliver()
        #expect(try returned.alarms().map { $0.prefix(6) } == ["raised", "notifi"], "the alarm stays on")
    }

    @Test func `a conflict of the past notifies no people`() throws {
        let farm = try Farm()
        try farm.store([("carrots", -0.5, 2), ("tomatoes", 7, 13)], age: 86_400)
        #expect(try farm.alarms().map { $0.prefix(6) } == ["raised"])
    }

    @Test func `rules of people stay when goods arrive or leave, and cannot be named like rules of goods`() throws {
        let farm = try Farm()
        let own = #"{"rule":"warm","place":"store/cold","quantity":"temperature","above":30}"#
        #expect(try farm.bench.ask("set-rule", own).status == 200)
        try farm.store([("carrots", -0.5, 2)])
        try farm.store([])
        #expect(try farm.rules() == ["warm"])
        let reserved = own.replacing("warm", with: "goods-carrots-temperature")
        #expect(try farm.bench.ask("set-rule", reserved).status == 422)
    }
}
