/// The findings of an audit about one subject: the first sentences, and the number of all.
struct Findings {
    private(set) var sentences: [String] = []
    private(set) var count = 0

    /// The number of sentences that are stored; further findings are only counted.
    static let limit = 1_000

    var isEmpty: Bool { count == 0 }
    var first: String? { sentences.first }

    /// - Parameter count: the number of all findings, if `sentences` are only the first of them.
    init(_ sentences: [String] = [], of count: Int = 0) {
        for sentence in sentences { add(sentence) }
        self.count = max(self.count, count)
    }

    mutating func add(_ sentence: String) {
        count += 1
        if sentences.count < Self.limit { sentences.append(sentence) }
    }

    mutating func add(_ other: Findings) {
        for sentence in other.sentences { add(sentence) }
        count += other.count - other.sentences.count
    }

    /// A sentence about findings beyond the limit; nil if there are none.
    var omitted: String? {
        count > sentences.count ? "\(count - sentences.count) more findings are not listed" : nil
    }
}
