import Foundation
import Testing
import Vocabulary

@testable import Recommender

/// A year of fresh-food purchases of 2,429 households (84.51°/dunnhumby, The Complete Journey), read from a file beside
/// the package.
struct GroceryLog {
    /// The names of the products, by number. Their byte order is the order of the numbers, so ties are broken by
    /// number.
    let names: [ProductID]
    let numbers: [ProductID: Int]
    /// The baskets of each household, in the order they were bought.
    let histories: [PersonID: [PurchaseBasket]]
    let baskets: Int

    /// The number of baskets from which on a household's last basket is hidden.
    static let basketsToBeAsked = 4

    /// Reads the data set. If it is missing, prints that the test is skipped and returns nil.
    static func read() throws -> GroceryLog? {
        try DataSet.read("cj_fresh_transactions.csv.gz").map { try GroceryLog($0) }
    }

    /// Parses lines of `ts,user,store,basket,item,…`.
    private init(_ bytes: [UInt8]) throws {
        var found: [Int: (time: Instant, user: Int, items: Set<Int>)] = [:]
        for line in bytes.split(separator: 10).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: ","), maxSplits: 5)
            guard fields.count == 6, let user = DataSet.number(fields[1]), let basket = DataSet.number(fields[3]),
                let item = DataSet.number(fields[4])
            else { throw CocoaError(.fileReadCorruptFile) }
            if found[basket] == nil {
                let text = String(decoding: fields[0], as: UTF8.self) + ":00Z"
                found[basket] = (try #require(Instant(text)), user, [])
            }
            found[basket]?.items.insert(item - 1)
        }
        let last = found.values.compactMap { $0.items.max() }.max() ?? 0
        names = (0...last).map { ProductID(String(format: "item-%03d", $0 + 1)) }
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        baskets = found.count
        var histories: [PersonID: [PurchaseBasket]] = [:]
        for (_, basket) in found.sorted(by: { ($0.value.time, $0.key) < ($1.value.time, $1.key) }) {
            histories[PersonID("household-\(basket.user)"), default: []].append(
                PurchaseBasket(placed: basket.time, products: basket.items.sorted()))
        }
        self.histories = histories
    }

    /// The training data: all baskets except the hidden ones.
    var training: [PersonID: [PurchaseBasket]] {
        histories.mapValues { $0.count >= Self.basketsToBeAsked ? Array($0.dropLast()) : $0 }
    }

    /// Returns the households of the test half, as drawn by the published benchmark.
    ///
    /// The benchmark orders the households with hidden baskets by their first baskets, shuffles them with numpy's
    /// default generator and seed 7, and takes the second half.
    static func tested() throws -> Set<PersonID> {
        let path = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../Fixtures/Shopping/cj_fresh_test_users.txt").standardizedFileURL
        let words = try String(contentsOf: path, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        return Set(words.map { PersonID("household-\($0)") })
    }

    /// The hidden last baskets of the households that have enough baskets.
    var hidden: [PersonID: Set<Int>] {
        histories.filter { $0.value.count >= Self.basketsToBeAsked }.mapValues { Set($0.last?.products ?? []) }
    }
}
