import EventSourcing
import Events
import Host
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("Reproducibility of the model")
struct ReplayTests {
    /// Returns a shop with 300 random orders of twenty products by fifteen people, some of them changed or cancelled.
    private static func busyShop() throws -> Shopfront {
        let shop = try Shopfront()
        var random = SplitMix64(seed: 42)
        for product in 0..<20 { try shop.list("p\(product)", boxes: 100_000) }
        for number in 0..<300 {
            let person = "person-\(random.next() % 15)"
            let products = (0..<(1 + random.next() % 6)).map { _ in "p\(random.next() % 20)" }
            // Some orders are recorded out of the order in which they were placed.
            let day = number / 5 - Int(random.next() % 9)
            try shop.order("\(number)", by: person, Array(Set(products)).sorted(), day: day, isHeard: false)
            if number % 11 == 3 { try shop.write(OrderCancelled(order: OrderID("\(number)"), why: .buyer)) }
            if number % 13 == 5 {
                try shop.write(
                    OrderChanged(
                        order: OrderID("\(number)"), lines: [shop.line("p3"), shop.line("p7")],
                        total: Shopfront.price, pickup: PickupID("barn")))
            }
        }
        return shop
    }

    @Test func `the same log gives the same model bit for bit for every page size`() throws {
        let shop = try Self.busyShop()
        try shop.hear(pages: 1)
        try shop.settle()
        let digest = try shop.digest()
        for size in [7, 64, 1000] {
            let other = try shop.replayed(pages: size)
            #expect(try other.digest() == digest)
            #expect(try other.shelves(of: "person-3") == shop.shelves(of: "person-3"))
        }
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
        // The model solved from the tables at a start is the same as the one updated event by event.
        let memory = ModelState(shop.core.tables)
        let problem = Model.Problem(memory.shoppers, names: memory.shop.names, position: 1)
        let model = try #require(Model(problem, solved: Model.solve(problem)))
        #expect(Hex.encode(model.digest) == digest)
        // The mutant leaves out one order, which gives another model.
        let less = try shop.replayed(pages: 64) { told in
            if case .orders(.orderRecordChanged(let event)) = told.fact { event.record.order == "17" } else { false }
        }
        #expect(try less.digest() != digest)
        print("recommender: 300 orders, 5 readings, one model \(digest.prefix(16))…")
    }

    @Test func `erasing a person gives the same model as a log without the person's orders`() throws {
        let shop = try Self.busyShop()
        try shop.hear()
        try shop.settle()
        let before = try shop.digest()
        try shop.tell(PersonErased(person: "person-3"))
        try shop.settle()
        let after = try shop.digest()
        #expect(after != before)
        let without = try shop.replayed(pages: 50) { told in
            switch told.fact {
            case .orders(.orderRecordChanged(let event)): event.buyer == "person-3"
            case .sync: true
            default: false
            }
        }
        #expect(try without.digest() == after)
        // The hub may contain an order after the erasure of its buyer.
        try shop.order("late", by: "person-3", ["p1", "p2"], day: 70)
        try shop.settle()
        #expect(try shop.digest() == after)
        #expect(try shop.shelves(of: "person-3")["again"] == nil)
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
        #expect(shop.core.tables.find(PurchaseRow.self, where: "buyer", is: "person-3", limit: 10).isEmpty)
    }

    @Test func `a model event is recorded after the first solution and then at most once an hour`() throws {
        let shop = try Shopfront()
        try shop.list("apples")
        try shop.settle()
        #expect(try shop.modelsTold().isEmpty)
        try shop.order("1", by: "anna", ["apples"])
        try shop.settle()
        try shop.order("2", by: "anna", ["apples"])
        try shop.settle()
        #expect(try shop.modelsTold().map(\.baskets) == [1])
        #expect(try shop.modelsTold().first?.shoppers == 1)
        shop.clock.advance(bySeconds: 3600)
        try shop.order("3", by: "ben", ["apples"])
        try shop.settle()
        let told = try shop.modelsTold()
        #expect(told.map(\.baskets) == [1, 3])
        #expect(try told.last?.digest == shop.digest())
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `inserted and removed baskets leave the sums as if they had never been added`() {
        var shoppers = Shoppers()
        shoppers.focus(on: [0, 1, 2])
        let names: [ProductID] = ["a", "b", "c"]
        func basket(_ day: Int, _ products: [Int]) -> PurchaseBasket {
            PurchaseBasket(
                placed: Instant(microseconds: Int64(day) * 86_400_000_000), products: products)
        }
        shoppers.set("anna", to: PurchaseHistory([basket(0, [0, 1]), basket(1, [1])]))
        let before = shoppers
        let first = before.sums
        #expect(before.transitions == 1 && before.sales.baskets == 2)
        #expect(
            first.cross[0][1] == PurchaseVector.one && first.cross[1][1] == PurchaseVector.one && first.cross[1][0] == 0
        )
        // Baskets are replaced, added for another person, and removed again.
        shoppers.set("anna", to: PurchaseHistory([basket(0, [0, 1]), basket(1, [1]), basket(3, [2])]))
        shoppers.set("anna", to: PurchaseHistory([basket(0, [0, 1]), basket(2, [0]), basket(3, [2])]))
        shoppers.set("ben", to: PurchaseHistory([basket(0, [2])]))
        shoppers.set("ben", to: PurchaseHistory())
        shoppers.set("anna", to: PurchaseHistory([basket(0, [0, 1]), basket(1, [1])]))
        #expect(shoppers.count == 1)
        #expect(shoppers.transitions == before.transitions && shoppers.sales.baskets == before.sales.baskets)
        func total(_ rows: [[Int64]]) -> Int64 { rows.reduce(0) { sum, row in sum + row.reduce(0, +) } }
        #expect(total(shoppers.sums.gram) == total(first.gram))
        #expect(total(shoppers.sums.cross) == total(first.cross))
        #expect((0..<3).allSatisfy { shoppers.sales.recent(of: $0) == before.sales.recent(of: $0) })
        #expect(Model.Problem(shoppers, names: names, position: 0).products == ["a", "b"])
    }
}
