/// What an audit found about one thing, in words: the first ones, and how many there are in all.
struct Findings {
    private(set) var sentences: [String] = []
    private(set) var count = 0

    /// So many sentences are kept; damage beyond them is counted.
    static let limit = 1_000

    var isEmpty: Bool { count == 0 }
    var first: String? { sentences.first }

    /// - Parameter count: how many there are in all, if `sentences` are only the first of them.
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

    /// What stands beyond the limit, in words; nil if nothing does.
    var omitted: String? {
        count > sentences.count ? "\(count - sentences.count) more findings are not listed" : nil
    }
}
