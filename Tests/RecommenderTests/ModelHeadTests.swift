import EventSourcing
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("The head of the model")
struct ModelHeadTests {
    /// How a head is chosen: the numbers of the products listed, the sales, the names, the room.
    typealias Choice = ([Int], Sales, [ProductID], Int) -> [Int]

    private static func bySales(_ listed: [Int], _ sales: Sales, _ names: [ProductID], _ room: Int) -> [Int] {
        ModelHead(of: listed, sales: sales, names: names, room: room).products
    }

    /// The mutant: the products that were listed first.
    private static func byListing(_ listed: [Int], _ sales: Sales, _ names: [ProductID], _ room: Int) -> [Int] {
        Array(listed.filter { sales.total[$0] > 0 }.sorted().prefix(room))
    }

    /// The mutant: all that was ever sold, however long ago.
    private static func byTotal(_ listed: [Int], _ sales: Sales, _ names: [ProductID], _ room: Int) -> [Int] {
        listed.sorted { (sales.total[$1], names[$0]) < (sales.total[$0], names[$1]) }.prefix(room).sorted()
    }

    /// What of the rule a choice violates.
    private static func violations(of choice: Choice) -> [String] {
        let names = (0..<10).map { ProductID("p\(9 - $0)") }
        var sales = Sales()
        sales.widen(to: 10)
        func sell(_ product: Int, times: Int, day: Int) {
            for _ in 0..<times { sales.count([product], on: day, times: 1) }
        }
        for product in 0..<5 { sell(product, times: 9 - product, day: 0) }
        for product in 5..<9 { sell(product, times: product - 4, day: 40) }
        var violations: [String] = []
        func expect(_ listed: [Int], _ room: Int, _ head: [Int], _ what: String) {
            if choice(listed, sales, names, room) != head { violations.append(what) }
        }
        expect(Array(0..<9), 3, [6, 7, 8], "those that sold most lately are in the head")
        expect([8, 0, 4, 2, 6], 3, [0, 6, 8], "where nothing sold lately, all sales decide")
        expect([0, 1, 2, 3, 6, 7], 3, [0, 6, 7], "what is not listed is not in the head")
        expect(Array(0..<10), 20, Array(0..<9), "what was never bought needs no room")
        sell(9, times: 1, day: 40)
        expect([0, 5, 9], 2, [5, 9], "a product that was listed last is in the head")
        expect([5, 9, 8], 2, [8, 9], "equals stand in byte order of their names")
        return violations
    }

    @Test func `holds the products that sold most lately among those listed now`() {
        #expect(Self.violations(of: Self.bySales).isEmpty)
        // The test rejects heads that are chosen by the order of listing, or by all sales.
        let mutants = [Self.violations(of: Self.byListing), Self.violations(of: Self.byTotal)]
        #expect(mutants.allSatisfy { $0.count >= 2 }, "\(mutants)")
        print("recommender: 6 rules of the head; the mutants violate \(mutants.map(\.count))")
    }

    /// Baskets of twelve people with forty products, drawn from a seed.
    private static func histories(_ random: inout SplitMix64) -> [PersonID: [PurchaseBasket]] {
        var histories: [PersonID: [PurchaseBasket]] = [:]
        for person in 0..<12 {
            histories[PersonID("person-\(person)")] = (0..<20).map { number in
                let products = Set((0..<(1 + random.next() % 6)).map { _ in Int(random.next() % 40) })
                return PurchaseBasket(
                    placed: Instant(microseconds: Int64(number) * 86_400_000_000), order: "\(person)-\(number)",
                    products: products.sorted())
            }
        }
        return histories
    }

    private static let names = (0..<40).map { ProductID("p\($0)") }

    private static func digest(_ shoppers: Shoppers) throws -> String {
        let problem = Model.Problem(shoppers, names: names, position: 1)
        return Hex.encode(try #require(Model(problem, solved: Model.solve(problem))).digest)
    }

    @Test func `gives the same model whichever products were in the head before`() throws {
        var random = SplitMix64(seed: 15)
        let histories = Self.histories(&random)
        var moving = Shoppers()
        var heads = 0
        var changes = 0
        for (person, baskets) in histories.sorted(by: { $0.key < $1.key }) {
            for count in stride(from: 4, through: baskets.count, by: 4) {
                moving.set(person, to: Array(baskets.prefix(count)))
                let head = (0..<40).filter { _ in random.next() % 3 == 0 }
                let before = Set(moving.sums.products.compactMap { $0 })
                moving.focus(on: head)
                changes += before.symmetricDifference(head).count
                heads += 1
            }
        }
        // One forgets an order, one is erased: what they added is taken out of the rows of the present head.
        moving.set("person-3", to: Array(try #require(histories["person-3"]).dropFirst()))
        moving.set("person-4", to: [])
        for last in [Array(0..<40), Array(10..<25), [39]] {
            moving.focus(on: last)
            var fresh = Shoppers()
            fresh.focus(on: last)
            for (person, baskets) in histories where person != "person-4" {
                fresh.set(person, to: person == "person-3" ? Array(baskets.dropFirst()) : baskets)
            }
            #expect(try Self.digest(moving) == Self.digest(fresh))
            for a in last {
                for b in last {
                    #expect(moving.sums.baskets(with: a, and: b) == fresh.sums.baskets(with: a, and: b))
                }
            }
            #expect(moving.sales.recent == fresh.sales.recent && moving.sales.total == fresh.sales.total)
            #expect(moving.sales.recentSum == fresh.sales.recentSum && moving.sales.daily == fresh.sales.daily)
            #expect((0..<40).allSatisfy { moving.repeats.weight(of: $0) == fresh.repeats.weight(of: $0) })
        }
        // The mutant: what enters the head starts at zero.
        var sums = moving.sums
        let entering = sums.place(Array(0..<40))
        moving.focus(on: Array(0..<40))
        #expect(entering.count == 39)
        #expect(entering.allSatisfy { sums.baskets(with: $0, and: $0) < moving.sums.baskets(with: $0, and: $0) })
        print("recommender: \(heads) heads, \(changes) products entered or left, 3 models equal to fresh ones")
        #expect(heads >= 60 && changes >= 500)
    }

    @Test func `sales of late follow baskets that are taken out again`() {
        var random = SplitMix64(seed: 16)
        var sales = Sales()
        sales.widen(to: 8)
        var counted: [(day: Int, products: [Int])] = []
        for _ in 0..<600 {
            if random.next() % 5 < 2, !counted.isEmpty {
                let gone = counted.remove(at: Int(random.next() % UInt64(counted.count)))
                sales.count(gone.products, on: gone.day, times: -1)
            } else {
                let products = (0..<8).filter { _ in random.next() % 3 == 0 }
                counted.append((Int(random.next() % 300), products))
                sales.count(products, on: counted[counted.count - 1].day, times: 1)
            }
            // A basket without products is of no day.
            let newest = counted.filter { !$0.products.isEmpty }.map(\.day).max() ?? 0
            let recent = (0..<8).map { product in
                Int64(counted.count { $0.day > newest - RecommenderLimits.recentDays && $0.products.contains(product) })
            }
            #expect(sales.recent == recent && sales.recentSum == recent.reduce(0, +))
            #expect(sales.baskets == counted.count)
        }
    }
}
