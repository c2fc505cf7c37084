import Foundation
import Testing
import Vocabulary

@testable import Recommender

/// Suggestions for the people of public data sets, with one configuration for all. `Tests/Benchmarks/suggestions.py`
/// prints the same rows beside those of other recommenders.
@Suite("Quality of suggestions")
struct QualityTests {
    @Test func `the next basket of a grocer's shoppers is suggested as well as the best published recall`() throws {
        guard let log = try GroceryLog.read() else { return }
        #expect(log.baskets == 84_505 && log.histories.count == 2429)
        let benchmark = try Benchmark(log)
        let (builder, model) = try benchmark.builder()
        let scores = benchmark.scores(of: .next, by: builder)
        let discovered = benchmark.scores(of: .discover, by: builder, onlyNew: true)
        Self.report("cj_fresh", scores)
        Self.report("cj_fresh discover", discovered)
        print("cj_fresh model \(Hex.encode(model.digest).prefix(16))…")
        let test = try #require(scores["test"])
        #expect(test.people == 1122)
        #expect(test.recall >= 0.529)
        #expect(test.gain >= 0.4425, "tuned TIFU-KNN")
        #expect(try #require(discovered["test"]).recall >= 0.26)
        // The same numbers on every machine, in every build.
        #expect(Hex.encode(model.digest).hasPrefix("3f60941c3f8f6196"))
    }

    @Test(arguments: [("tafeng", 1969, 0.185, 0.1544), ("dc", 1803, 0.485, 0.350)])
    func `the next basket is suggested better than by tuned TIFU-KNN`(
        name: String, people: Int, recall: Double, gain: Double
    ) throws {
        guard let benchmark = try Benchmark(dnntsp: name) else { return }
        let (builder, _) = try benchmark.builder()
        let scores = benchmark.scores(of: .next, by: builder)
        Self.report(name, scores)
        let popularity = benchmark.popularity(by: builder)
        print("\(name) popularity test: \(popularity)")
        let test = try #require(scores["test"])
        #expect(test.people == people)
        #expect(test.recall >= recall)
        #expect(test.gain >= gain)
        #expect(test.recall > 1.5 * popularity.recall)
    }

    @Test func `films that a person never rated are suggested better than by BiVAE`() throws {
        guard
            let benchmark = try Benchmark(
                movies: "ml100k_ratings.csv.gz", hiding: "ml100k_recommenders_seed42_testrows.txt.gz")
        else { return }
        let (builder, _) = try benchmark.builder()
        let scores = benchmark.scores(of: .discover, by: builder)
        Self.report("ml100k", scores)
        let test = try #require(scores["test"])
        #expect(test.people == 943)
        #expect(test.gain >= 0.475)
    }

    private static func report(_ name: String, _ scores: [String: Score]) {
        for (part, score) in scores.sorted(by: { $0.key < $1.key }) { print("\(name) \(part): \(score)") }
    }
}
