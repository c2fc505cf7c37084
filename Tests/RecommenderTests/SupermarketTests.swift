import Foundation
import TestKit
import Testing
import Vocabulary

@testable import Recommender

/// The benchmark of next-basket prediction on the Ta-Feng data set: the baskets of 10,182 people in a supermarket of
/// 12,000 products.
///
/// In the published split, the last baskets are hidden.
@Suite("Next-basket prediction for a supermarket with 12,000 products")
struct SupermarketTests {
    private let names: [ProductID]
    private var histories: [PersonID: [PurchaseBasket]] = [:]
    private var hidden: [PersonID: Set<Int>] = [:]

    /// Parses lines of `user,basket,role,items`. The role `h` is history, `t` the basket to predict.
    private init?(reading name: String) throws {
        guard let bytes = try DataSet.read(name) else { return nil }
        var last = 0
        for line in bytes.split(separator: 10).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: ","))
            guard fields.count == 4, let user = DataSet.number(fields[0]), let basket = DataSet.number(fields[1])
            else { throw CocoaError(.fileReadCorruptFile) }
            let items = Set(fields[3].split(separator: 32).compactMap { DataSet.number($0).map { $0 - 1 } })
            last = max(last, items.max() ?? 0)
            let person = PersonID("user-\(user)")
            switch fields[2] {
            case [UInt8(ascii: "h")]:
                // The data set has no dates, so all of it is recent.
                histories[person, default: []].append(
                    PurchaseBasket(
                        placed: Instant(microseconds: Int64(basket)), order: "\(user)-\(basket)",
                        products: items.sorted()))
            case [UInt8(ascii: "t")]: hidden[person] = items
            default: continue
            }
        }
        names = (0...last).map { ProductID(String(format: "item-%05d", $0 + 1)) }
    }

    init() { names = [] }

    /// Returns the score of the suggestions for every fifth person, with a given head.
    private func score(_ shoppers: Shoppers, _ head: [Int]) throws -> Score {
        var shoppers = shoppers
        shoppers.focus(on: head)
        let problem = Model.Problem(shoppers, names: names, position: 0)
        let model = try #require(Model(problem, solved: Model.solve(problem)))
        let builder = ShelfBuilder(
            candidates: names.indices.map { ShelfBuilder.Candidate(product: names[$0], number: $0, listed: nil) },
            shoppers: shoppers, names: names, model: model, title: { $0.rawValue }, most: 10)
        var score = Score()
        for (index, (person, truth)) in hidden.sorted(by: { $0.key < $1.key }).enumerated() where index % 5 == 0 {
            let ranking = Ranking(builder, try #require(shoppers[person]), asking: .next)
            score.add(ranking.ranked(builder.candidates).prefix(10).map(\.number), against: truth)
        }
        return score
    }

    @Test func `a model of a sixth of a supermarket's products predicts better than popularity`() throws {
        guard let log = try SupermarketTests(reading: "tafeng_fairness_fixedsplit.csv.gz") else { return }
        #expect(log.histories.count == 10_182 && log.hidden.count == 5091)
        var shoppers = Shoppers()
        for (person, baskets) in log.histories { shoppers.set(person, to: baskets) }
        let listed = Array(log.names.indices)
        let bySales = try log.score(shoppers, ModelHead(of: listed, sales: shoppers.sales, names: log.names).products)
        let most = listed.sorted { shoppers.sales.total(of: $0) > shoppers.sales.total(of: $1) }
        var popularity = Score()
        for (index, (_, truth)) in log.hidden.sorted(by: { $0.key < $1.key }).enumerated() where index % 5 == 0 {
            popularity.add(Array(most.prefix(10)), against: truth)
        }
        print("tafeng head by sales: \(bySales)")
        print("tafeng popularity: \(popularity)")
        #expect(bySales.people == 1019)
        #expect(bySales.recall >= 0.14 && bySales.recall > 1.5 * popularity.recall)
    }
}
