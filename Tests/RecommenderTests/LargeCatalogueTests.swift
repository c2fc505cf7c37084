import EventSourcing
import Events
import Foundation
import Host
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("Catalogues larger than the model")
struct LargeCatalogueTests {
    @Test func `a product listed after the first 1,024 is suggested in next, again and popular`() throws {
        // given
        let shop = try Self.catalogue(of: 3000)
        for day in 0..<6 {
            try shop.order("late-\(day)", by: "anna", ["p2900"], day: day - 6)
            try shop.order("early-\(day)", by: "ben", ["p0100"], day: day - 6)
        }
        // when
        try shop.settle()
        let shelves = try shop.shelves(of: "anna")
        // then
        #expect(shelves["next"]?.first == "p2900")
        #expect(shelves["again"] == ["p2900"])
        #expect(shelves["popular"] == ["p0100", "p2900"])
        #expect(shop.core.service.limits.figures["products_listed"] == 3000)
        #expect(shop.core.service.limits.figures["products_in_model"] == 2)
        #expect(shop.core.service.limits.figures["products_outside_model"] == 0)
        try Self.measure(shop, "3,000 products listed, 2 sold")
    }

    @Test func `products that the model leaves out are suggested by their own sales, and their number is reported`()
        throws
    {
        // given a model of three products, and five that sell: the first three to others, the last two only to Anna
        let shop = try Self.catalogue(of: 6, room: 3)
        for day in 0..<8 {
            for buyer in ["ben", "carl", "dora"] {
                try shop.order("\(buyer)-\(day)", by: buyer, ["p0000", "p0001", "p0002"], day: day)
            }
            try shop.order("anna-\(day)", by: "anna", ["p0003", "p0004"], day: day)
        }
        // when
        try shop.settle()
        let shelves = try shop.shelves(of: "anna")
        // then
        #expect(shelves["again"] == ["p0003", "p0004"])
        #expect(shelves["popular"] == ["p0000", "p0001", "p0002", "p0003", "p0004"])
        #expect(Set(shelves["next"]?.prefix(2) ?? []) == ["p0003", "p0004"])
        let limits = shop.core.service.limits
        #expect(limits.figures["products_in_model"] == 3 && limits.figures["products_outside_model"] == 2)
        #expect(limits.figures["products_listed"] == 6 && limits.figures["products_beyond_catalogue"] == 0)
        let remark = try #require(limits.remark)
        #expect(remark.contains("the 3 products that sell most of 6 listed ones; 2 that sell less"))
        #expect(limits.shortfall == nil)
        print("recommender: \(remark)")
    }

    @Test func `a withdrawn product leaves the model, and returns with all its earlier purchases`() throws {
        let shop = try Self.catalogue(of: 4, room: 2)
        for day in 0..<4 { try shop.order("a\(day)", by: "anna", ["p0000", "p0001", "p0002"], day: day) }
        try shop.order("b", by: "ben", ["p0000", "p0001"], day: 4)
        try shop.settle()
        let before = try shop.digest()
        try shop.tell(ProductWithdrawn(product: "p0001"))
        try shop.settle()
        #expect(try shop.digest() != before)
        #expect(shop.core.service.limits.figures["products_in_model"] == 2)
        #expect(shop.core.service.limits.figures["products_outside_model"] == 0)
        // p0002 takes its row, with the counts of all four baskets.
        #expect(try shop.shelves(with: "p0002")["together"] == ["p0000"])
        try shop.list("p0001")
        try shop.settle()
        #expect(try shop.digest() == before)
        #expect(try shop.shelves(with: "p0002")["together"] == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `the same log gives the same model while products enter and leave it`() throws {
        // given
        let shop = try Shopfront(room: 8)
        var random = SplitMix64(seed: 2048)
        for number in 0..<30 { try shop.list("p\(number)", boxes: 100_000, isHeard: false) }
        var heads: Set<String> = []
        for number in 0..<400 {
            // The best-selling products change over time.
            let products = (0..<(1 + random.next() % 4)).map { _ in "p\((number / 16 + Int(random.next() % 12)) % 30)" }
            let day = number / 4 - Int(random.next() % 9)
            try shop.order(
                "\(number)", by: "person-\(random.next() % 15)", Array(Set(products)).sorted(), day: day,
                isHeard: false)
            if number % 11 == 3 { try shop.write(OrderCancelled(order: OrderID("\(number)"), why: .buyer)) }
            let product = "p\(random.next() % 30)"
            if number % 17 == 9 { try shop.write(ProductWithdrawn(product: ProductID(product))) }
            if number % 17 == 13 { try shop.list(product, boxes: 100_000, isHeard: false) }
            if number == 300 { try shop.write(PersonErased(person: "person-3")) }
            // when events are consumed one step at a time, and the model is solved after each
            try shop.hear()
            try shop.settle(ticks: 3)
            if let digest = try? shop.digest() { heads.insert(digest) }
        }
        try shop.settle()
        let digest = try shop.digest()
        // then other page sizes give the same model, and so does a start from the tables
        for size in [7, 64, 5000] {
            let other = try shop.replayed(pages: size)
            #expect(try other.digest() == digest)
            for person in ["person-2", "person-3", "person-7"] {
                #expect(try other.shelves(of: person) == shop.shelves(of: person))
            }
            #expect(other.core.service.limits == shop.core.service.limits)
        }
        let memory = ModelState(shop.core.tables, room: 8)
        let problem = Model.Problem(memory.shoppers, names: memory.shop.names, position: 1)
        let model = try #require(Model(problem, solved: Model.solve(problem)))
        #expect(Hex.encode(model.digest) == digest && model.products.count == 8)
        #expect(memory.coverage.figures == shop.core.service.limits.figures)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
        print("recommender: 400 orders, \(heads.count) models, then 4 readings, one model \(digest.prefix(16))…")
        #expect(heads.count >= 200)
    }

    @Test func `orders of a person beyond the newest 1,000 are counted`() throws {
        let shop = try Self.catalogue(of: 2)
        for number in 0..<1003 {
            let name = String(format: "%04d", number)
            try shop.order(name, by: "anna", ["p0000"], day: number / 4, isHeard: false)
        }
        try shop.hear()
        try shop.order("early", by: "anna", ["p0001"], day: -1)
        #expect(shop.core.service.limits.figures["orders_beyond_limit"] == 4)
        #expect(ModelState(shop.core.tables).coverage.olderOrders == 4)
        #expect(try shop.shelves(of: "anna")["again"] == ["p0000"])
        try shop.tell(OrderCancelled(order: "1002", why: .buyer))
        #expect(shop.core.service.limits.figures["orders_beyond_limit"] == 3)
        try shop.tell(PersonErased(person: "anna"))
        #expect(shop.core.service.limits.figures["orders_beyond_limit"] == 0)
    }

    @Test func `products beyond the limit of the catalogue are counted and reported as a shortfall`() {
        var coverage = ModelCoverage()
        #expect(coverage.shortfall == nil && coverage.remark == nil)
        coverage.beyondCatalogue = 3
        #expect(coverage.shortfall?.hasPrefix("3 products were listed after the first 100000") == true)
        #expect(coverage.figures["products_beyond_catalogue"] == 3)
    }

    @Test func `the model holds 1,024 of 3,000 selling products, and the others are counted`() throws {
        let shop = try Self.catalogue(of: 3000)
        for number in 0..<3000 {
            let products = (0..<4).map { String(format: "p%04d", (number * 4 + $0 * 751) % 3000) }
            try shop.order("\(number)", by: "person-\(number % 300)", products, day: number / 100, isHeard: false)
        }
        try shop.hear()
        try shop.settle()
        let figures = shop.core.service.limits.figures
        #expect(figures["products_in_model"] == 1024 && figures["products_outside_model"] == 1976)
        try Self.measure(shop, "3,000 products listed and sold", of: "person-7")
        // The largest change of this head: a third of its products are replaced, and the new ones counted from all
        // baskets.
        var began = Self.processorSeconds()
        var memory = ModelState(shop.core.tables)
        let start = Self.processorSeconds() - began
        began = Self.processorSeconds()
        memory.focus(on: Array(1976..<3000))
        let change = Self.processorSeconds() - began
        print(String(format: "recommender: 3,000 baskets, start %.2f s, a third of the head %.2f s", start, change))
    }

    /// Prints the processor time of one request for shelves.
    private static func measure(_ shop: Shopfront, _ what: String, of person: String = "anna") throws {
        let rounds = 20
        let began = processorSeconds()
        for _ in 0..<rounds { _ = try shop.ask(#"{"person":"\#(person)"}"#) }
        let each = (processorSeconds() - began) / Double(rounds) * 1000
        print("recommender: \(what), one shelf \(String(format: "%.2f", each)) ms of processor time")
    }

    /// Returns a shop with `count` products `p0000` and so on, each in stock.
    private static func catalogue(of count: Int, room: Int = RecommenderLimits.products) throws -> Shopfront {
        let shop = try Shopfront(room: room)
        for number in 0..<count { try shop.list(String(format: "p%04d", number), boxes: 10_000, isHeard: false) }
        try shop.hear()
        return shop
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
