import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import CatalogOrders

@Suite("Promotions")
struct PromotionTests {
    /// Publishes a promotion of tomatoes for ten days; `more` replaces or adds members.
    private func publish(
        _ market: Market, _ name: String = "ripe", _ more: String = "", about: String = #""product":"tomatoes""#
    ) throws -> Int {
        let times = #""from":"\#(market.now)","until":"\#(market.now.advanced(bySeconds: 864_000))""#
        let body =
            #"{"promotion":"\#(name)","title":"Ripe now",\#(about),\#(times)\#(more.isEmpty ? "" : ",")\#(more)}"#
        return try market.ask("publish-promotion", body, by: .person("gina")).status
    }

    private func state(_ market: Market, _ name: String = "ripe") throws -> JSONValue {
        let items = try market.staff("promotions").get("items", as: [JSONValue].self)
        return try #require(try items.first { try $0.get("promotion", as: String.self) == name })
    }

    private func word(_ market: Market, _ member: String = "state") throws -> String? {
        try state(market).find(member, as: String.self)
    }

    @Test func `the rule of a promotion is stored whole, with times of day in the farm's time zone`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            let more = #"""
                "text":"Sweet","lot":"L1","audience":"favourites","county":"Greene","timesPerDay":2,"people":50,
                "heldBackPercent":10,"priority":7,"area":{"latitude":48.2,"longitude":16.4,"metres":500},
                "hours":{"weekdays":[6,5,6],"from":"16:00","to":"19:30"}
                """#
            #expect(try publish(market, "ripe", more) == 200)
            let rule: PromotionRule = try state(market).get("rule")
            #expect(rule.hours == PromotionHours(weekdays: [5, 6], from: "16:00", to: "19:30", zone: "Europe/Vienna"))
            #expect(rule.area == PromotionArea(latitude: 48.2, longitude: 16.4, metres: 500) && rule.people == 50)
            #expect(rule.audience == .favourites && rule.lot == "L1" && rule.priority == 7)
            #expect(try word(market) == "running")
            #expect(try publish(market, "kind", about: #""category":"fruit","farm":"f1""#) == 200)
            let (rebuilt, live) = try market.rebuilt()
            #expect(rebuilt == live)
        }
    }

    @Test func `a promotion before closing needs a pickup place whose opening times are known`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.settle()
            let closing =
                #""beforeClosing":{"pickup":"barn","minutes":45},"beacons":"IBEACON:F7826DA64FA24E988024BC5B71E0893E:1","#
            #expect(try publish(market, "last", closing + #""node":"Bus.local:8091""#) == 409)
            let wrong = [
                #"{"weekdays":[],"from":"08:00","to":"12:00"}"#, #"{"weekdays":[1],"from":"12:00","to":"12:00"}"#,
            ]
            for times in wrong {
                let body = #"{"pickup":"barn","title":"Barn","opens":[\#(times)]}"#
                #expect(try market.ask("open-pickup", body, by: .person("gina")).status == 422)
            }
            let times =
                #"[{"weekdays":[5,1,5],"from":"08:00","to":"12:30"},{"weekdays":[6],"from":"09:00","to":"11:00"}]"#
            let body = #"{"pickup":"barn","title":"Barn","opens":\#(times)}"#
            #expect(try market.ask("open-pickup", body, by: .person("gina")).status == 201)
            #expect(try publish(market, "last", closing + #""node":"Bus.local:8091""#) == 200)
            let rule: PromotionRule = try state(market, "last").get("rule")
            #expect(
                rule.beforeClosing == PromotionClosing(pickup: "barn", minutes: 45) && rule.node == "bus.local:8091")
            #expect(rule.beacons == "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1")
            let places = try market.staff("pickups").get("items", as: [JSONValue].self)
            let opens: [OpeningTime] = try #require(try places.first { try $0.get("pickup") == "barn" }).get("opens")
            #expect(opens.map(\.weekdays) == [[1, 5], [6]])
            let (rebuilt, live) = try market.rebuilt()
            #expect(rebuilt == live)
        }
    }

    @Test(arguments: [
        (#""product":"melons""#, "", 404), (#""category":"fruit""#, "", 400),
        (#""product":"tomatoes","category":"fruit""#, "", 422), (#""product":"tomatoes""#, #""lot":"L2""#, 409),
        (#""category":"fruit","farm":"f1""#, #""lot":"L1""#, 422), (#""product":"tomatoes""#, #""people":0"#, 400),
        (#""product":"tomatoes""#, #""heldBackPercent":51"#, 400),
        (#""product":"tomatoes""#, #""area":{"latitude":91,"longitude":0,"metres":500}"#, 400),
        (#""product":"tomatoes""#, #""hours":{"weekdays":[8]}"#, 400),
        (#""product":"tomatoes""#, #""hours":{"from":"18:00","to":"08:00"}"#, 422),
        (#""product":"tomatoes""#, #""audience":"rich""#, 400),
        (#""product":"tomatoes""#, #""beforeClosing":{"pickup":"nowhere","minutes":60}"#, 404),
        (#""product":"tomatoes""#, #""beforeClosing":{"pickup":"barn","minutes":4}"#, 400),
        (#""product":"tomatoes""#, #""beforeClosing":{"pickup":"barn","minutes":60}"#, 409),
        (#""product":"tomatoes""#, #""beacons":"ibeacon:12""#, 422),
        (#""product":"tomatoes""#, #""notifies":true,"node":"bus.local""#, 422),
        (#""product":"tomatoes""#, #""notifies":true,"audience":"interested""#, 422),
        (#""product":"tomatoes""#, #""notifies":true,"county":"Greene""#, 422),
    ])
    func `a rule that contradicts itself or the catalogue is refused`(about: String, more: String, status: Int) throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.settle()
            #expect(try publish(market, "p", more, about: about) == status)
            #expect(try market.staff("promotions").get("items", as: [JSONValue].self).isEmpty)
        }
    }

    @Test func `a promotion ends at its time, and stops while its lot is on hold or recalled`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            #expect(try publish(market, "ripe", #""lot":"L1""#) == 200)
            try market.hear(
                LotHeld(lot: "L1", includes: [], activity: "a1", until: market.now, reason: "too early"),
                farm: Market.farm)
            #expect(try word(market) == "stopped")
            try market.hear(
                LotHoldLifted(lot: "L1", includes: [], activity: "a1", reason: "wrong plot"), farm: Market.farm)
            #expect(try word(market) == "running")
            try market.recall("L1")
            #expect(try word(market) == "stopped")
            try market.pass(seconds: 864_001)
            #expect(try word(market) == "ended" && word(market, "ended") == "over")
            #expect(try publish(market) == 409)
        }
    }

    @Test func `each person counts once, and a promotion ends when enough people have seen it`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            #expect(try publish(market, "ripe", #""people":2"#) == 200)
            for _ in 0..<3 { try market.buyer("ann", "show-promotion", #"{"promotion":"ripe"}"#) }
            try market.buyer("held", "show-promotion", #"{"promotion":"ripe","heldBack":true}"#)
            #expect(try state(market).get("shown", as: Int.self) == 1)
            #expect(try state(market).get("heldBack", as: Int.self) == 1)
            #expect(try word(market) == "running")
            try market.buyer("ben", "show-promotion", #"{"promotion":"ripe"}"#)
            #expect(try word(market) == "ended" && word(market, "ended") == "reached")
            // A phone that had no connection reports late.
            try market.buyer("cat", "show-promotion", #"{"promotion":"ripe"}"#)
            #expect(try state(market).get("shown", as: Int.self) == 3)
            #expect(try market.refusal("ann", "show-promotion", #"{"promotion":"none"}"#) == "404 unknown-promotion")
            let seen = try market.buyer("ann", "export").get("promotions", as: [JSONValue].self)
            #expect(try seen.map { try $0.get("promotion", as: String.self) } == ["ripe"])
        }
    }

    @Test func `orders of what a promotion is about count after it was shown or held back, once a person`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            #expect(try publish(market) == 200)
            try market.order("early", 1)
            for name in ["ann", "ben", "early"] { try market.buyer(name, "show-promotion", #"{"promotion":"ripe"}"#) }
            try market.buyer("held", "show-promotion", #"{"promotion":"ripe","heldBack":true}"#)
            #expect(try state(market)["effect"]?.get("difference", as: Double.self) == 0)
            for _ in 0..<2 { try market.order("ann", 1) }
            try market.order("ben", 1, of: "eggs-1")
            try market.order("held", 1)
            try market.order("stranger", 1)
            let now = try state(market)
            #expect(try now.get("shownBought", as: Int.self) == 1 && now.get("heldBackBought", as: Int.self) == 1)
            #expect(try abs((now["effect"]?.get("difference", as: Double.self) ?? 0) - (1.0 / 3 - 1)) < 1e-9)
        }
    }

    @Test func `the interval of an effect is Newcombe's`() throws {
        // Newcombe (1998), table II, column a: 56/70 and 48/80, method 10.
        let effect = try #require(
            PromotionEffect(PromotionCounts(shown: 70, heldBack: 80, shownBought: 56, heldBackBought: 48)))
        #expect(abs(effect.difference - 0.2) < 1e-9)
        #expect(abs(effect.low - 0.0524) < 0.00005 && abs(effect.high - 0.3339) < 0.00005, "\(effect)")
        #expect(PromotionEffect(PromotionCounts(shown: 1)) == nil)
    }

    @Test func `the reach of a promotion is that of people who use the shop, or have favoured it`() throws {
        try withTemporaryDirectory { folder in
            let market = try Market.open(in: folder)
            try market.order("ann", 1)
            try market.order("ben", 1)
            try market.buyer("cat", "set-favourite", #"{"kind":"product","name":"tomatoes"}"#)
            try market.buyer("ann", "set-favourite", #"{"kind":"farm","name":"f1"}"#)
            func reach(_ body: String) throws -> String {
                let told = try market.staff("promotion-reach", body)
                return "\(try told.get("people", as: Int.self)) \(try told.get("isAtMost", as: Bool.self))"
            }
            #expect(try reach("{}") == "3 false")
            #expect(try reach(#"{"audience":"favourites","product":"tomatoes"}"#) == "2 false")
            #expect(try reach(#"{"audience":"favourites","product":"eggs"}"#) == "1 false")
            #expect(try reach(#"{"audience":"interested","product":"eggs"}"#) == "3 true")
        }
    }
}
