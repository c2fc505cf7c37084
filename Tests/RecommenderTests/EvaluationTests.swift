import Foundation
import TestKit
import Testing
import Vocabulary

@testable import Recommender

/// The published benchmark of next-basket prediction on fresh food. By its protocol, the last basket of each shopper is
/// hidden and compared with ten suggestions.
@Suite("Next-basket prediction for a grocer")
struct EvaluationTests {
    @Test func `suggestions for a grocer's shoppers reach the best published recall and nDCG`() throws {
        guard let log = try GroceryLog.read() else { return }
        #expect(log.baskets == 84_505 && log.histories.count == 2429)
        var shoppers = Shoppers()
        for (person, baskets) in log.training { shoppers.set(person, to: baskets) }
        shoppers.focus(on: Array(log.names.indices))
        let problem = Model.Problem(shoppers, names: log.names, position: 0)
        let model = try #require(Model(problem, solved: Model.solve(problem)))
        let candidates = log.names.indices.map {
            ShelfBuilder.Candidate(product: log.names[$0], number: $0, listed: nil)
        }.sorted { $0.product < $1.product }
        let builder = ShelfBuilder(
            candidates: candidates, shoppers: shoppers, names: log.names, model: model, title: { $0.rawValue },
            most: 10)
        let tested = try GroceryLog.tested()
        var scores: [String: Score] = [:]
        for (person, hidden) in log.hidden {
            let half = tested.contains(person) ? "test" : "tuning"
            let items = builder.shelves(for: person, cart: []).first { $0.kind == .next }?.items ?? []
            let numbers = items.compactMap { log.numbers[$0.product] }
            scores[half, default: Score()].add(numbers, against: hidden)
            scores["all", default: Score()].add(numbers, against: hidden)
        }
        var explored: [String: Score] = [:]
        for (person, hidden) in log.hidden {
            let unknown = hidden.subtracting(shoppers[person]?.known ?? [])
            guard !unknown.isEmpty else { continue }
            let items = builder.shelves(for: person, cart: []).first { $0.kind == .discover }?.items ?? []
            explored[tested.contains(person) ? "test" : "tuning", default: Score()].add(
                items.compactMap { log.numbers[$0.product] }, against: unknown)
        }
        for (name, score) in explored.sorted(by: { $0.key < $1.key }) { print("cj_fresh discover \(name): \(score)") }
        #expect(try #require(explored["test"]).recall >= 0.26)
        for (name, score) in scores.sorted(by: { $0.key < $1.key }) { print("cj_fresh \(name): \(score)") }
        print("cj_fresh model \(Hex.encode(model.digest).prefix(16))…")
        let test = try #require(scores["test"])
        #expect(test.people == 1122)
        #expect(test.recall >= 0.522)
        #expect(test.gain >= 0.444)
        // The same numbers on every machine, in every build.
        #expect(Hex.encode(model.digest).hasPrefix("9d2acc7b1a636bcf"))
    }
}

/// The average quality of ten suggestions per person.
struct Score: CustomStringConvertible {
    private(set) var people = 0
    private var recalls = 0.0
    private var gains = 0.0
    private var hits = 0

    var recall: Double { recalls / Double(max(people, 1)) }
    var gain: Double { gains / Double(max(people, 1)) }

    mutating func add(_ suggested: [Int], against truth: Set<Int>) {
        people += 1
        let found = suggested.prefix(10).enumerated().filter { truth.contains($0.element) }.map(\.offset)
        recalls += Double(found.count) / Double(truth.count)
        let ideal = (0..<min(10, truth.count)).reduce(0.0) { $0 + 1 / log2(Double($1) + 2) }
        gains += found.reduce(0.0) { $0 + 1 / log2(Double($1) + 2) } / ideal
        hits += found.isEmpty ? 0 : 1
    }

    var description: String {
        func four(_ value: Double) -> String { String(format: "%.4f", value) }
        return "\(people) people, R@10 \(four(recall)), nDCG@10 \(four(gain)), "
            + "hit \(four(Double(hits) / Double(max(people, 1))))"
    }
}
