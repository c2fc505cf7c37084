import EventSourcing
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Limits of stores by the goods that are stored there")
struct StorageLimitsTests {
    private static let carrots =
        #"{"goods":"carrots","title":"Carrots","products":["Carrots"],"limits":[{"quantity":"temperature","#
        + #""below":-0.5,"above":2},{"quantity":"humidity","below":85}],"source":"Handbook 66"}"#
    private static let tomatoes =
        #"{"goods":"tomatoes","title":"Tomatoes","products":[" tomatoes "],"limits":[{"quantity":"temperature","#
        + #""below":7,"above":13}]}"#

    /// Returns a ledger with two kinds of goods and a harvested lot of each.
    private func ledger() throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.done("set-goods", Self.carrots)
        try ledger.done("set-goods", Self.tomatoes)
        for (lot, product) in [("L1", "Carrots"), ("L2", "Tomatoes"), ("L3", "Honey")] {
            try ledger.done(
                "harvest", #"{"plot":"p1","lot":"\#(lot)","product":"\#(product)","grams":1000}"#)
        }
        return ledger
    }

    private func store(_ lot: String, _ store: String, _ ledger: Ledger) throws {
        try ledger.done("store-lot", #"{"lot":"\#(lot)","store":"\#(store)"}"#)
        try ledger.tick(after: 1)
    }

    private func published(_ ledger: Ledger) throws -> [StorageLimitsChanged] {
        try ledger.core.log.reader().entries(from: 1, through: ledger.core.log.head.position).compactMap { entry in
            guard case .trace(.storageLimitsChanged(let event)) = try RecordedEvent(reading: entry.bytes).fact else {
                return nil
            }
            return event
        }
    }

    @Test func `limits apply to a store while goods of the kind are stored there`() throws {
        // given kinds of goods and lots that lie nowhere
        let ledger = try ledger()
        try ledger.tick(after: 1)
        #expect(try published(ledger).isEmpty)
        // when a lot is stored, moved and handed over
        try store("L1", "s1", ledger)
        try store("L1", "s2", ledger)
        try ledger.done("hand-over-lot", #"{"lot":"L1","to":"Market hall"}"#)
        try ledger.tick(after: 1)
        try ledger.tick(after: 1)
        // then each change of a store is published once
        let events = try published(ledger)
        #expect(
            events.map { "\($0.store) \($0.goods.map(\.goods)) \($0.goods.flatMap(\.lots))" } == [
                #"s1 ["carrots"] [L1]"#, #"s1 [] []"#, #"s2 ["carrots"] [L1]"#, #"s2 [] []"#,
            ])
        #expect(events[0].goods[0].limits.first == GoodsLimit(quantity: .temperature, above: 2, below: -0.5))
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `the limits of goods are those of their store, which its history is compared with`() throws {
        let ledger = try ledger()
        try store("L1", "s1", ledger)
        func limits() -> [String] {
            ledger.core.tables.scan(LimitRow.self, limit: 10).map { "\($0.place) \($0.quantity) \($0.above ?? -1)" }
        }
        #expect(limits() == ["store/s1 humidity -1.0", "store/s1 temperature 2.0"])
        try store("L1", "s2", ledger)
        #expect(limits() == ["store/s2 humidity -1.0", "store/s2 temperature 2.0"])
    }

    @Test func `packed lots have limits of their own, and the rest those of the kind without a stage`() throws {
        let ledger = try ledger()
        try ledger.done(
            "set-goods",
            #"{"goods":"carrots-packed","title":"Carrots in boxes","products":["carrots"],"stage":"packed","#
                + #""limits":[{"quantity":"temperature","above":5}]}"#)
        try store("L1", "s1", ledger)
        // Half of the lot, then all of it.
        for serials in 1...2 {
            try ledger.done("pack-lot", #"{"lot":"L1","boxes":1,"gramsEach":500}"#)
            try ledger.tick(after: 1)
            #expect(ledger.core.tables.get(LotRow.self, "L1")?.state.boxes == serials)
        }
        let events = try published(ledger).map { $0.goods.map(\.goods) }
        #expect(events == [["carrots"], ["carrots", "carrots-packed"], ["carrots-packed"]])
        // A product belongs to one kind of a stage.
        let other = #"{"goods":"roots","title":"Roots","products":["Carrots"],"limits":[],"stage":"packed"}"#
        #expect(try ledger.ask("set-goods", other).status == 409)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `goods whose limits exclude each other are a conflict when the second is stored`() throws {
        let ledger = try ledger()
        try store("L3", "s1", ledger)
        try store("L1", "s1", ledger)
        try store("L2", "s1", ledger)
        let events = try published(ledger)
        #expect(events.map(\.conflicts.count) == [0, 1], "a product without a kind has no limits")
        #expect(
            events.last?.conflicts == [
                GoodsConflict(
                    quantity: .temperature, needed: 7, tolerated: 2, needing: ["tomatoes"], tolerating: ["carrots"])
            ])
        // when the limits are changed so that they overlap, the conflict ends
        try ledger.done("set-goods", Self.carrots.replacing(#""above":2"#, with: #""above":8"#))
        try ledger.tick(after: 1)
        #expect(try published(ledger).last?.conflicts == [])
    }

    @Test func `a lot that was split off a stored lot is watched, and a lot that was split up is not`() throws {
        let ledger = try ledger()
        try store("L1", "s1", ledger)
        try ledger.done("split-lot", #"{"lot":"L1","into":"L4","grams":1000}"#)
        try ledger.tick(after: 1)
        #expect(try published(ledger).last?.goods.first?.lots.map(\.rawValue) == ["L4"])
        // A corrected weight leaves something of the lot in the store.
        try ledger.done("correct-harvest", #"{"lot":"L1","grams":1500,"reason":"weighed again"}"#)
        try ledger.tick(after: 1)
        #expect(try published(ledger).last?.goods.first?.lots.map(\.rawValue) == ["L1", "L4"])
    }

    @Test func `an alarm of a kind of goods is in the stories of its lots only, even if the kind is changed`() throws {
        let ledger = try ledger()
        try store("L1", "s1", ledger)
        try store("L3", "s1", ledger)
        try ledger.hear(
            AlarmRaised(
                rule: .goods("carrots", .temperature), point: PointID("m1"), place: .store(StoreID("s1")),
                device: Ledger.device, quantity: .temperature, value: 9, limit: 2, goods: "Carrots",
                lots: [LotID("L1")]))
        try ledger.done("set-goods", Self.carrots.replacing(#"["Carrots"]"#, with: "[]"))
        let alarms = try ["L1", "L3"].map { try ledger.passport($0).get("alarms", as: [JSONValue].self).count }
        #expect(alarms == [1, 0])
        let lots: [JSONValue] = try ledger.ask("lots").json.get("items")
        let marked = try lots.filter { try $0.get("alarm", as: Bool.self) }.map { try $0.get("lot", as: String.self) }
        #expect(marked == ["L1"])
    }

    @Test func `a process that starts publishes what an older version did not`() throws {
        let ledger = try ledger()
        try ledger.done("store-lot", #"{"lot":"L1","store":"s1"}"#)
        ledger.restart()
        #expect(try published(ledger).isEmpty)
        try ledger.tick(after: 1)
        try ledger.tick(after: 1)
        #expect(try published(ledger).map(\.store.rawValue) == ["s1"])
    }

    @Test func `an event names fifty lots of a kind and counts the others`() {
        let lots = (0..<60).map { StorageLimits.StoredLot(lot: LotID("L\(100 + $0)"), product: "CARROTS") }
        let kind = GoodsLimitsSet(
            goods: "carrots", title: "Carrots", products: ["carrots"],
            limits: [GoodsLimit(quantity: .humidity, below: 85)])
        let limits = StorageLimits.limits(of: StoreID("s1"), title: "Cold store", with: lots.shuffled(), by: [kind])
        #expect(limits.goods[0].lots.count == 50 && limits.goods[0].others == 10)
        #expect(limits.goods[0].lots.map(\.rawValue).first == "L100")
    }

    @Test(arguments: [
        (#""limits":[{"quantity":"temperature"}]"#, "422 no-limit"),
        (#""limits":[{"quantity":"temperature","above":2,"below":2}]"#, "422 always-on"),
        (#""limits":[{"quantity":"battery","above":2}]"#, "422 wrong-quantity"),
        (#""limits":[{"quantity":"humidity","above":2},{"quantity":"humidity","below":1}]"#, "422 named-twice"),
        (#""limits":[],"products":["CARROTS"]"#, "409 product-taken"),
        (#""limits":[],"products":["Leek"," leek"]"#, "422 named-twice"),
        (#""limits":[],"goods":"longer-than-twenty-characters""#, "422 too-long"),
    ])
    func `limits that contradict themselves are refused`(members: String, expected: String) throws {
        let ledger = try ledger()
        var body = #"{"title":"X","# + members
        if !members.contains("goods") { body += #","goods":"x""# }
        if !members.contains("products") { body += #","products":[]"# }
        #expect(try ledger.refusal("set-goods", body + "}") == expected)
    }

    @Test func `recommendations of handbooks can be set as they are, and none of them is proposed twice`() throws {
        let ledger = try Ledger.farm()
        let (status, json) = try ledger.ask("goods")
        #expect(status == 200)
        let names = try json.texts("recommended", "goods")
        #expect(names.count == KnownGoods.all.count && names.count >= 35 && Set(names).count == names.count)
        for kind in KnownGoods.all {
            var writer = JSONWriter()
            writer.object { writer in
                writer.field("goods", kind.goods)
                writer.field("title", kind.title)
                writer.field("products", [String]())
                writer.field("limits", kind.limits)
                writer.field("source", kind.source)
            }
            try ledger.done("set-goods", writer.text)
        }
        let after = try ledger.ask("goods").json
        #expect(try after.texts("recommended", "goods").isEmpty)
        #expect(Set(try after.texts("items", "goods")) == Set(names))
    }
}
