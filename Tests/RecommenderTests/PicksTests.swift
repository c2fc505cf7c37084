import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("Picks of the day")
struct PicksTests {
    /// A shop of 40 products, where Anna buys five of them.
    static func shop() throws -> Shopfront {
        let shop = try Shopfront()
        for number in 10..<50 { try shop.list("p\(number)") }
        for week in 0..<6 {
            let product = 10 + week
            try shop.order("a\(week)", by: "anna", ["p10", "p\(product)"], day: 7 * week - 60)
            try shop.order("b\(week)", by: "ben", ["p\(product)", "p\(20 + week)", "p30"], day: 7 * week - 61)
        }
        try shop.settle()
        return shop
    }

    @Test func `picks stay the same all day although orders, stock and prices change, and differ the next day`() throws
    {
        let shop = try Self.shop()
        let first = try shop.picks(of: "anna", on: "2026-05-03")
        #expect(first.count == RecommenderLimits.picks)
        #expect(Set(first).count == first.count)
        let known = first.filter { $0 <= "p15" }
        #expect(!known.isEmpty && known.count < first.count, "what Anna bought, and what is new to her")
        try shop.order("late", by: "anna", ["p40", "p41", "p42"])
        try shop.tell(StockSet(lot: LotID("L-\(first[0])"), boxes: 0))
        try shop.settle()
        #expect(try shop.picks(of: "anna", on: "2026-05-03") == first)
        #expect(try shop.picks(of: "anna", on: "2026-05-04") != first)
        #expect(try shop.picksChosen().map(\.day) == ["2026-05-03", "2026-05-04"])
        #expect(try shop.picks(of: "ben", on: "2026-05-03") != first)
    }

    @Test func `what is sold out when the day begins is not picked`() throws {
        let shop = try Self.shop()
        let first = try shop.picks(of: "anna", on: "2026-05-03")
        for product in first { try shop.tell(StockSet(lot: LotID("L-\(product)"), boxes: 0)) }
        #expect(Set(first).isDisjoint(with: try shop.picks(of: "anna", on: "2026-05-04")))
    }

    @Test func `the same log gives the same picks, and rebuilt tables contain them`() throws {
        let shop = try Self.shop()
        let days = (1...9).map { "2026-05-0\($0)" }
        let picks = try days.map { try shop.picks(of: "anna", on: $0) }
        #expect(Set(picks).count == days.count, "each day is different")
        let other = try shop.replayed(pages: 7)
        #expect(try days.map { try other.picks(of: "anna", on: $0) } == picks)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `an empty shop records no choice, so that products of later that day are picked`() throws {
        let shop = try Shopfront()
        #expect(try shop.picks(of: "anna", on: "2026-05-03").isEmpty)
        try shop.list("apples")
        #expect(try shop.picks(of: "anna", on: "2026-05-03") == ["apples"])
    }

    @Test func `favourites, and products of favourite farms, are discovered first and are among the picks`() throws {
        let shop = try Self.shop()
        for favourite in [Favourite.product("p44"), .product("p10"), .product("gone")] {
            try shop.tell(FavouriteSet(person: "anna", favourite: favourite))
        }
        let discover = try #require(try shop.told(of: "anna")["discover"])
        #expect(try discover.first?.get("product", as: String.self) == "p44", "p10 was bought before")
        #expect(try discover.first?.get("reason", as: String.self) == "Among your favourites.")
        #expect(try shop.picks(of: "anna", on: "2026-05-03").contains("p44"))
        try shop.tell(FavouriteSet(person: "cleo", favourite: .farm("f1")))
        let farms = try #require(try shop.told(of: "cleo")["discover"])
        let reasons = try farms.map { try $0.get("because", as: String.self) }
        #expect(reasons == Array(repeating: "favourite-farm", count: 10))
        try shop.tell(FavouriteSet(person: "dora", favourite: .farm("another")))
        #expect(try shop.told(of: "dora")["discover"]?.first?.get("because", as: String.self) == "new")
        try shop.tell(FavouriteUnset(person: "anna", favourite: .product("p44")))
        #expect(try shop.told(of: "anna")["discover"]?.first?.get("because", as: String.self) != "favourite")
        try shop.tell(PersonErased(person: "anna"))
        #expect(shop.core.tables.get(FavouritesRow.self, "anna") == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `why a product is suggested names the person's own orders behind it and no other's`() throws {
        let shop = try Self.shop()
        func why(_ product: String, of person: String) throws -> (reason: String, from: String?, orders: [String]) {
            let (status, answer) = try shop.ask("{\"person\":\"\(person)\",\"product\":\"\(product)\"}", verb: "why")
            #expect(status == 200)
            let orders = try answer.get("orders", as: [JSONValue].self).map { try $0.get("order", as: String.self) }
            return (try answer.get("reason"), try answer.find("from"), orders)
        }
        let own = try why("p10", of: "anna")
        #expect(own.reason == "You buy this about once a week." && own.from == "p10")
        #expect(own.orders == ["a5", "a4", "a3", "a2", "a1", "a0"], "the newest first")
        let foreign = try why("p30", of: "anna")
        #expect(foreign.reason.hasPrefix("People who buy"))
        #expect(!foreign.orders.isEmpty && foreign.orders.allSatisfy { $0.hasPrefix("a") }, "\(foreign)")
        try shop.tell(OrderCancelled(order: "a5", why: .buyer))
        #expect(try why("p10", of: "anna").orders.count == 5)
        #expect(try why("p40", of: "cleo").orders.isEmpty)
        #expect(try shop.ask("{\"person\":\"anna\",\"product\":\"melons\"}", verb: "why").status == 404)
    }

    @Test func `an erased person has no picks any more`() throws {
        let shop = try Self.shop()
        _ = try shop.picks(of: "anna", on: "2026-05-03")
        #expect(shop.core.tables.get(PicksRow.self, "anna") != nil)
        try shop.tell(PersonErased(person: "anna"))
        #expect(shop.core.tables.get(PicksRow.self, "anna") == nil)
        // A request that was under way leaves none either.
        _ = try shop.picks(of: "anna", on: "2026-05-04")
        #expect(shop.core.tables.get(PicksRow.self, "anna") == nil)
    }
}
