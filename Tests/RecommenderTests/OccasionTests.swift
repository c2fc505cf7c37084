import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("Suggestions of an occasion")
struct OccasionTests {
    @Test func `the shelf for now names offers that end, few units left, and fresh harvests, and nothing else`() throws
    {
        let shop = try Shopfront()
        for product in ["apples", "beets", "carrots", "dill"] { try shop.list(product) }
        #expect(try shop.told()["now"] == nil)
        try shop.tell(
            OfferPublished(
                offer: "o-apples", product: "apples", lot: "L-apples", price: Shopfront.price, takes: 1, pickups: [],
                until: shop.now.advanced(bySeconds: 2.5 * 86_400)))
        try shop.harvest("carrots", hoursAgo: 30)
        try shop.harvest("dill", hoursAgo: 24 * 4)
        // Few are left only if as many were ordered lately.
        try shop.tell(StockSet(lot: "L-beets", boxes: 5))
        let first = try sentences(shop.told()["now"])
        #expect(first == ["apples: On offer for 3 more days.", "carrots: Harvested within the last 2 days."])
        for number in 0..<3 { try shop.order("\(number)", by: "anna", ["beets"]) }
        try shop.settle()
        #expect(try sentences(shop.told()["now"]).first == "beets: Only 2 are left.")
        let item = try #require(try shop.told()["now"]?.first)
        #expect(try item.get("because", as: String.self) == "few" && item.get("units", as: Int.self) == 2)
    }

    @Test func `a lot that is split off is as fresh as the lot it was part of`() throws {
        let shop = try Shopfront()
        try shop.list("apples")
        try shop.harvest("apples", hoursAgo: 1)
        try shop.tell(LotSplit(lot: "L-apples", into: "L-more", grams: 100))
        try shop.tell(StockSet(lot: "L-apples", boxes: 0))
        #expect(try shop.told()["now"] == nil)
        try shop.tell(StockSet(lot: "L-more", boxes: 90))
        try shop.tell(
            OfferPublished(
                offer: "more", product: "apples", lot: "L-more", price: Shopfront.price, takes: 1, pickups: []))
        #expect(try sentences(shop.told()["now"]) == ["apples: Harvested within the last day."])
    }

    @Test func `a product in season is known after a year of orders, and not named in the rest of the year`() throws {
        let shop = try Shopfront()
        for product in ["asparagus", "bread"] { try shop.list(product, boxes: 10_000) }
        // Asparagus is bought in the eight weeks before and after this day last year.
        for day in stride(from: -400, through: 0, by: 2) {
            let isSeason = abs(day + 365) <= 28 || abs(day) <= 28
            try shop.order(
                "o\(day)", by: "anna", isSeason ? ["asparagus", "bread"] : ["bread"], day: day, isHeard: false)
        }
        try shop.hear()
        try shop.settle()
        let season = try #require(try shop.told()["now"])
        let said = try sentences(season)
        #expect(said.count == 1 && said[0].hasPrefix("asparagus: In season: ordered "), "\(said)")
        #expect(try season[0].get("times", as: Int.self) >= 2)
        for day in 1...120 { try shop.order("later\(day)", by: "ben", ["bread"], day: day, isHeard: false) }
        try shop.hear()
        try shop.settle()
        #expect(try shop.told()["now"] == nil)
    }

    @Test func `erasing a person gives the same seasons as a log without their orders`() throws {
        var mine = Shoppers()
        var other = Shoppers()
        for week in 0..<60 {
            let placed = Instant(microseconds: Int64(week) * 7 * 86_400_000_000)
            mine.append(PurchaseBasket(placed: placed, place: 0, products: [0, 1]), of: "anna")
            mine.append(PurchaseBasket(placed: placed, place: 1, products: [1]), of: "ben")
            other.append(PurchaseBasket(placed: placed, place: 1, products: [1]), of: "ben")
        }
        mine.set("anna", to: PurchaseHistory())
        for day in stride(from: 0, to: 400, by: 7) {
            #expect(mine.seasons.strengths(on: day)[0] == nil)
            #expect(mine.seasons.strengths(on: day) == other.seasons.strengths(on: day))
        }
        #expect(mine.sales.recent(at: 0).isEmpty && mine.sales.recent(at: 1) == other.sales.recent(at: 1))
    }

    @Test func `popular at a pickup place is what others order there, of three orders or more`() throws {
        let shop = try Shopfront()
        for product in ["apples", "beets", "carrots"] { try shop.list(product) }
        for number in 0..<4 { try shop.order("a\(number)", by: "p\(number)", ["apples"], day: -number - 1) }
        for number in 0..<2 { try shop.order("b\(number)", by: "q\(number)", ["beets"], day: -number - 1) }
        try shop.order("anna", by: "anna", ["carrots"])
        let said = try sentences(shop.told(of: "anna")["place"])
        #expect(said == ["apples: In 4 orders at your pick-up point in the last four weeks of orders."])
        #expect(try shop.told()["place"] == nil, "a visitor has no pickup place")
        try shop.tell(
            OrderChanged(order: "anna", lines: [shop.line("carrots")], total: Shopfront.price, pickup: "station"))
        #expect(try shop.told(of: "anna")["place"] == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `what a person looked at is suggested to them alone until they order it, forget it or are erased`()
        throws
    {
        let shop = try Shopfront()
        for product in ["apples", "beets"] { try shop.list(product) }
        func look(_ products: String, by person: String) throws -> Int {
            try shop.ask("{\"products\":[\(products)]}", verb: "view", by: .person(PersonID(person))).status
        }
        #expect(try look("\"apples\",\"beets\",\"gone\"", by: "anna") == 201)
        let said = try sentences(shop.told(of: "anna")["viewed"])
        #expect(said == ["beets: You looked at this.", "apples: You looked at this."])
        #expect(try shop.told(of: "ben")["viewed"] == nil)
        let export = try shop.ask("{}", verb: "export", by: .person("anna")).json.get("viewed", as: [JSONValue].self)
        #expect(try export.map { try $0.get("product", as: String.self) } == ["beets", "apples"])
        try shop.order("1", by: "anna", ["beets"], day: 1)
        #expect(try shop.shelves(of: "anna")["viewed"] == ["apples"])
        #expect(try look("", by: "anna") == 201)
        let many = (0...20).map { "\"p\($0)\"" }.joined(separator: ",")
        #expect(try look(many, by: "anna") == 400)
        #expect(try shop.ask("{\"products\":[\"apples\"]}", verb: "view", by: .service("sync-gateway")).status == 403)
        #expect(try shop.ask("{}", verb: "forget-views", by: .person("anna")).status == 200)
        #expect(try shop.told(of: "anna")["viewed"] == nil)
        #expect(try look("\"apples\"", by: "ben") == 201)
        try shop.tell(PersonErased(person: "ben"))
        #expect(shop.core.tables.get(ViewedRow.self, "ben") == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `products are found by their times as in a plain list, whatever changes`() {
        var random = SplitMix64(seed: 5)
        var times: [Int: Instant] = [:]
        var index = ProductsByTime()
        for _ in 0..<2_000 {
            let product = Int(random.next() % 40)
            let time = random.next() % 4 == 0 ? nil : Instant(microseconds: Int64(random.next() % 50))
            index.move(product, from: times[product], to: time)
            times[product] = time
            let middle = Instant(microseconds: Int64(random.next() % 50))
            #expect(Set(index.products(through: middle)) == Set(times.filter { $0.value <= middle }.keys))
            #expect(Set(index.products(from: middle)) == Set(times.filter { $0.value >= middle }.keys))
        }
        #expect(index == ProductsByTime(times.map { ProductsByTime.Entry(time: $0.value, product: $0.key) }))
    }

    private func sentences(_ items: [JSONValue]?) throws -> [String] {
        try (items ?? []).map { "\(try $0.get("product", as: String.self)): \(try $0.get("reason", as: String.self))" }
    }
}
