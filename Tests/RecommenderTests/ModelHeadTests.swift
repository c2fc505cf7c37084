import EventSourcing
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("Head of the model")
struct ModelHeadTests {
    /// A choice of the head from the numbers of the listed products, the sales, the names, and the maximum number.
    typealias Choice = ([Int], Sales, [ProductID], Int) -> [Int]

    private static func bySales(_ listed: [Int], _ sales: Sales, _ names: [ProductID], _ room: Int) -> [Int] {
        ModelHead(of: listed, sales: sales, names: names, room: room).products
    }

    /// The mutant that chooses the products listed first.
    private static func byListing(_ listed: [Int], _ sales: Sales, _ names: [ProductID], _ room: Int) -> [Int] {
        Array(listed.filter { sales.total[$0] > 0 }.sorted().prefix(room))
    }

    /// The mutant that chooses by total sales instead of recent sales.
    private static func byTotal(_ listed: [Int], _ sales: Sales, _ names: [ProductID], _ room: Int) -> [Int] {
        listed.sorted { (sales.total[$1], names[$0]) < (sales.total[$0], names[$1]) }.prefix(room).sorted()
    }

    /// Returns the rules of the head that a choice violates.
    private static func violations(of choice: Choice) -> [String] {
        let names = (0..<10).map { ProductID("p\(9 - $0)") }
        var sales = Sales()
        sales.widen(to: 10)
        func sell(_ product: Int, times: Int, day: Int) {
            for _ in 0..<times { sales.count([UInt32(product)], on: day, times: 1) }
        }
        for product in 0..<5 { sell(product, times: 9 - product, day: 0) }
        for product in 5..<9 { sell(product, times: product - 4, day: 40) }
        var violations: [String] = []
        func expect(_ listed: [Int], _ room: Int, _ head: [Int], _ what: String) {
            if choice(listed, sales, names, room) != head { violations.append(what) }
        }
        expect(Array(0..<9), 3, [6, 7, 8], "products with the most recent sales are in the head")
        expect([8, 0, 4, 2, 6], 3, [0, 6, 8], "without recent sales, total sales decide")
        expect([0, 1, 2, 3, 6, 7], 3, [0, 6, 7], "an unlisted product is not in the head")
        expect(Array(0..<10), 20, Array(0..<9), "a product that was never bought is not in the head")
        sell(9, times: 1, day: 40)
        expect([0, 5, 9], 2, [5, 9], "a product that was listed last is in the head")
        expect([5, 9, 8], 2, [8, 9], "ties are broken by byte order of the names")
        return violations
    }

    @Test func `the head holds the listed products with the most recent sales`() {
        #expect(Self.violations(of: Self.bySales).isEmpty)
        // The test rejects heads that are chosen by the order of listing, or by total sales.
        let mutants = [Self.violations(of: Self.byListing), Self.violations(of: Self.byTotal)]
        #expect(mutants.allSatisfy { $0.count >= 2 }, "\(mutants)")
        print("recommender: 6 rules of the head; the mutants violate \(mutants.map(\.count))")
    }

    /// Returns random baskets of twelve people with forty products.
    private static func histories(_ random: inout SplitMix64) -> [PersonID: [PurchaseBasket]] {
        var histories: [PersonID: [PurchaseBasket]] = [:]
        for person in 0..<12 {
            histories[PersonID("person-\(person)")] = (0..<20).map { number in
                let products = Set((0..<(1 + random.next() % 6)).map { _ in Int(random.next() % 40) })
                return PurchaseBasket(
                    placed: Instant(microseconds: Int64(number) * 86_400_000_000),
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

    @Test func `the model does not depend on the products that were in earlier heads`() throws {
        var random = SplitMix64(seed: 15)
        let histories = Self.histories(&random)
        var moving = Shoppers()
        var heads = 0
        var changes = 0
        for (person, baskets) in histories.sorted(by: { $0.key < $1.key }) {
            for count in stride(from: 4, through: baskets.count, by: 4) {
                moving.set(person, to: PurchaseHistory(baskets.prefix(count)))
                let head = (0..<40).filter { _ in random.next() % 3 == 0 }
                let before = Set(moving.sums.products.compactMap { $0 })
                moving.focus(on: head)
                changes += before.symmetricDifference(head).count
                heads += 1
            }
        }
        // One person loses an order and another is erased. Their terms are subtracted from the rows of the current
        // head.
        moving.set("person-3", to: PurchaseHistory(try #require(histories["person-3"]).dropFirst()))
        moving.set("person-4", to: PurchaseHistory())
        for last in [Array(0..<40), Array(10..<25), [39]] {
            moving.focus(on: last)
            var fresh = Shoppers()
            fresh.focus(on: last)
            for (person, baskets) in histories where person != "person-4" {
                fresh.set(person, to: PurchaseHistory(person == "person-3" ? Array(baskets.dropFirst()) : baskets))
            }
            #expect(try Self.digest(moving) == Self.digest(fresh))
            for a in last {
                for b in last {
                    #expect(moving.sums.baskets(with: a, and: b) == fresh.sums.baskets(with: a, and: b))
                }
            }
            #expect(moving.sales.recent == fresh.sales.recent && moving.sales.total == fresh.sales.total)
            #expect(moving.sales.recentBaskets == fresh.sales.recentBaskets && !moving.sales.isStale)
            #expect((0..<40).allSatisfy { moving.repeats.weight(of: $0) == fresh.repeats.weight(of: $0) })
        }
        // The mutant starts products that enter the head at zero.
        var sums = moving.sums
        let entering = sums.place(Array(0..<40))
        moving.focus(on: Array(0..<40))
        #expect((0..<40).count { entering[$0] } == 39)
        #expect(
            (0..<40).filter { entering[$0] }.allSatisfy {
                sums.baskets(with: $0, and: $0) < moving.sums.baskets(with: $0, and: $0)
            })
        print("recommender: \(heads) heads, \(changes) products entered or left, 3 models equal to fresh ones")
        #expect(heads >= 60 && changes >= 500)
    }

    @Test func `recent sales stay correct while baskets are added and removed`() {
        var random = SplitMix64(seed: 16)
        var sales = Sales()
        sales.widen(to: 8)
        var counted: [(day: Int, products: ArraySlice<UInt32>)] = []
        var recounts = 0
        for _ in 0..<600 {
            if random.next() % 5 < 2, !counted.isEmpty {
                let gone = counted.remove(at: Int(random.next() % UInt64(counted.count)))
                sales.count(gone.products, on: gone.day, times: -1)
                if sales.isStale {
                    sales.recount([PurchaseHistory(counted.map { PurchaseBasket(on: $0.day, $0.products) })])
                    recounts += 1
                }
            } else {
                let products = (0..<8).filter { _ in random.next() % 3 == 0 }.map { UInt32($0) }
                counted.append((Int(random.next() % 300), products[...]))
                sales.count(counted[counted.count - 1].products, on: counted[counted.count - 1].day, times: 1)
            }
            let newest = counted.map(\.day).max() ?? 0
            let current = counted.filter { $0.day > newest - RecommenderLimits.recentDays }
            let recent = (0..<8).map { product in Int64(current.count { $0.products.contains(product) }) }
            #expect(sales.recent == recent && sales.recentBaskets == Int64(current.count))
            #expect(sales.baskets == counted.count)
        }
        #expect(recounts >= 5)
    }
}

extension PurchaseBasket {
    fileprivate init(on day: Int, _ products: ArraySlice<UInt32>) {
        self.init(placed: Instant(microseconds: Int64(day) * 86_400_000_000), products: products.map { Int($0) })
    }
}

extension Sales {
    /// Counts a basket of a day in which nothing is known of the place.
    fileprivate mutating func count(_ products: ArraySlice<UInt32>, on day: Int, times: Int64) {
        let placed = Instant(microseconds: Int64(day) * 86_400_000_000)
        count(PurchaseHistory.Basket(placed: placed, products: products), times: times)
    }
}
