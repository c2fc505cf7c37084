import Foundation
import TestKit
import Testing
import Vocabulary

@testable import Recommender

/// A public benchmark of suggestions: histories of shoppers, and hidden products to compare the suggestions with.
struct Benchmark {
    var histories: [PersonID: [PurchaseBasket]] = [:]
    /// The hidden products of each person, by the part of the data set: `tuning` or `test`.
    var hidden: [String: [PersonID: Set<Int>]] = [:]
    var names: [ProductID] = []

    /// Names the products up to the largest number. Their byte order is the order of the numbers, so ties are broken by
    /// number.
    private mutating func nameProducts() {
        let bought = histories.values.joined().compactMap(\.products.last)
        let last = (bought + hidden.values.flatMap(\.values).compactMap { $0.max() }).max() ?? 0
        names = (0...last).map { ProductID(String(format: "item-%05d", $0)) }
    }

    // MARK: Data sets

    /// A year of fresh food; the last basket of each household with at least four is hidden.
    init(_ log: GroceryLog) throws {
        histories = log.training
        let tested = try GroceryLog.tested()
        for (person, products) in log.hidden {
            hidden[tested.contains(person) ? "test" : "tuning", default: [:]][person] = products
        }
        names = log.names
    }

    /// The split of DNNTSP (Yu et al., 2020), in lines of `split,user,basket,items`. The last baskets of the people of
    /// the splits `v` and `t` are hidden. There are no dates, so all of it is recent.
    init?(dnntsp name: String) throws {
        guard let bytes = try DataSet.read("dnntsp_\(name).csv.gz") else { return nil }
        var baskets: [String: [(Int, [Int])]] = [:]
        for line in bytes.split(separator: 10).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: ","))
            guard fields.count == 4, let basket = DataSet.number(fields[2]) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            let items = Set(fields[3].split(separator: 32).compactMap { DataSet.number($0) }).sorted()
            let person = String(decoding: fields[0], as: UTF8.self) + "-" + String(decoding: fields[1], as: UTF8.self)
            baskets[person, default: []].append((basket, items))
        }
        let parts = ["v": "tuning", "t": "test"]
        for (name, unsorted) in baskets {
            var sorted = unsorted.sorted { $0.0 < $1.0 }
            let person = PersonID(name)
            if let part = parts[String(name.prefix(1))], let last = sorted.popLast() {
                hidden[part, default: [:]][person] = Set(last.1)
            }
            histories[person] = sorted.map {
                PurchaseBasket(placed: Instant(microseconds: Int64($0.0)), products: $0.1)
            }
        }
        nameProducts()
    }

    /// MovieLens-100K, in lines of `user,item,rating,time`. A quarter of the ratings is hidden, as drawn by the
    /// `recommenders` benchmark with seed 42; each other rating is a basket.
    init?(movies name: String, hiding rows: String) throws {
        guard let bytes = try DataSet.read(name), let drawn = try DataSet.read(rows) else { return nil }
        let test = Set(drawn.split(whereSeparator: { $0 == 10 || $0 == 32 }).compactMap { DataSet.number($0) })
        var baskets: [PersonID: [PurchaseBasket]] = [:]
        for (row, line) in bytes.split(separator: 10).dropFirst().enumerated() {
            let fields = line.split(separator: UInt8(ascii: ",")).compactMap { DataSet.number($0) }
            guard fields.count == 4 else { throw CocoaError(.fileReadCorruptFile) }
            let person = PersonID("user-\(fields[0])")
            if test.contains(row) {
                hidden["test", default: [:]][person, default: []].insert(fields[1])
            } else {
                baskets[person, default: []].append(
                    PurchaseBasket(
                        placed: Instant(microseconds: Int64(fields[3]) * 1_000_000), products: [fields[1]]))
            }
        }
        histories = baskets.mapValues { $0.sorted { ($0.placed, $0.products[0]) < ($1.placed, $1.products[0]) } }
        nameProducts()
    }

    // MARK: Measuring

    /// Returns the shelves' builder after all histories, and the model's digest.
    func builder() throws -> (builder: ShelfBuilder, model: Model) {
        var shoppers = Shoppers()
        for (person, baskets) in histories { shoppers.set(person, to: PurchaseHistory(baskets)) }
        let listed = Array(names.indices)
        shoppers.focus(on: ModelHead(of: listed, sales: shoppers.sales, names: names).products)
        let problem = Model.Problem(shoppers, names: names, position: 0)
        let model = try #require(Model(problem, solved: Model.solve(problem)))
        let builder = ShelfBuilder(
            shoppers: shoppers, names: names, model: model, newest: listed, title: { $0.rawValue }, most: 10,
            supply: { _ in nil }, now: Instant(microseconds: 0), isOffered: { _ in true })
        return (builder, model)
    }

    /// Returns the score of one shelf for each part of the data set.
    ///
    /// - Parameter isNew: whether only hidden products count that the person never bought.
    func scores(of kind: ShelfKind, by builder: ShelfBuilder, onlyNew isNew: Bool = false) -> [String: Score] {
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        return hidden.mapValues { people in
            var score = Score()
            for (person, products) in people.sorted(by: { $0.key < $1.key }) {
                let known = isNew ? builder.shoppers[person]?.known ?? [] : []
                let truth = products.subtracting(known)
                guard !truth.isEmpty else { continue }
                let items = builder.shelves(for: person, cart: []).first { $0.kind == kind }?.items ?? []
                score.add(items.compactMap { numbers[$0.product] }, against: truth)
            }
            return score
        }
    }

    /// Returns the score of the products that sold most, for the test part.
    func popularity(by builder: ShelfBuilder) -> Score {
        let sales = builder.shoppers.sales
        let most = names.indices.sorted { (sales.total(of: $1), $0) < (sales.total(of: $0), $1) }
        var score = Score()
        for (_, products) in hidden["test"] ?? [:] { score.add(Array(most.prefix(10)), against: products) }
        return score
    }
}
