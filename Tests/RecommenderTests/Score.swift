import Foundation

/// The average quality of ten suggestions per person.
struct Score: CustomStringConvertible {
    private(set) var people = 0
    private var recalls = 0.0
    private var gains = 0.0
    private var hits = 0

    /// The share of the hidden products that are suggested.
    var recall: Double { recalls / Double(max(people, 1)) }
    /// nDCG: hits count less at lower ranks; the ideal list has as many hits as the hidden basket, at most ten.
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
