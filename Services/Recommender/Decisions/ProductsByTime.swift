import Vocabulary

/// Products by a time that each of them has, such as the end of its offers, so that those near a time are found without
/// reading the others.
struct ProductsByTime: Equatable, Sendable {
    /// A product's number and its time.
    struct Entry: Comparable, Sendable {
        let time: Instant
        let product: Int

        static func < (one: Entry, other: Entry) -> Bool { (one.time, one.product) < (other.time, other.product) }
    }

    /// The earliest first.
    private(set) var entries: [Entry] = []

    init() {}

    init(_ entries: [Entry]) { self.entries = entries.sorted() }

    /// Replaces the time of a product. Nil removes it, or adds none.
    mutating func move(_ product: Int, from old: Instant?, to new: Instant?) {
        guard old != new else { return }
        if let old {
            let place = index(of: Entry(time: old, product: product))
            if place < entries.count, entries[place].product == product { entries.remove(at: place) }
        }
        if let new {
            let entry = Entry(time: new, product: product)
            entries.insert(entry, at: index(of: entry))
        }
    }

    /// Returns the products with a time up to `end`.
    func products(through end: Instant) -> [Int] { entries.prefix { $0.time <= end }.map(\.product) }

    /// Returns the products with a time from `start` on.
    func products(from start: Instant) -> [Int] { entries.reversed().prefix { $0.time >= start }.map(\.product) }

    private func index(of entry: Entry) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
