import EventSourcing
import Vocabulary

/// The products of one order of a shopper.
struct PurchaseBasket: Equatable, Sendable {
    let placed: Instant
    /// The number of its pickup place, or nil if it is not known.
    var place: Int?
    /// The numbers of its products, in ascending order without duplicates.
    let products: [Int]

    var day: Int { PurchaseHistory.day(of: placed) }
}

/// The baskets of one shopper, the oldest first, packed into one array so that a hundred thousand shoppers fit into
/// memory.
struct PurchaseHistory: Equatable, Sendable, Sequence {
    /// For each basket the two halves of its time, one more than the number of its pickup place or zero, the number of
    /// its products, and their numbers in ascending order.
    private var words: [UInt32] = []
    private(set) var count = 0
    /// The time of the newest basket, or nil without baskets.
    private(set) var last: Instant?

    /// One basket, which shares the memory of its history.
    struct Basket: Equatable, Sendable {
        let placed: Instant
        var place: Int?
        let products: ArraySlice<UInt32>

        var day: Int { PurchaseHistory.day(of: placed) }

        /// Returns whether it contains a product, by binary search.
        func contains(_ product: Int) -> Bool {
            var (low, high) = (products.startIndex, products.endIndex)
            while low < high {
                let middle = (low + high) / 2
                if products[middle] < product { low = middle + 1 } else { high = middle }
            }
            return low < products.endIndex && products[low] == product
        }
    }

    init() {}

    init(_ baskets: some Sequence<PurchaseBasket>) {
        for basket in baskets { append(basket) }
    }

    /// The day (UTC, from 1970) of an instant.
    static func day(of placed: Instant) -> Int {
        Int((Double(placed.microseconds) / 86_400_000_000).rounded(.down))
    }

    /// Appends a basket. Its products are in ascending order without duplicates.
    mutating func append(_ basket: PurchaseBasket) {
        append(basket.placed, at: basket.place, basket.products.lazy.map { UInt32($0) })
    }

    private mutating func append(_ placed: Instant, at place: Int?, _ products: some Collection<UInt32>) {
        let bits = UInt64(bitPattern: placed.microseconds)
        words.reserveCapacity(words.count + 4 + products.count)
        words.append(UInt32(truncatingIfNeeded: bits))
        words.append(UInt32(truncatingIfNeeded: bits >> 32))
        words.append(place.map { UInt32($0 + 1) } ?? 0)
        words.append(UInt32(products.count))
        words.append(contentsOf: products)
        count += 1
        last = Swift.max(last ?? placed, placed)
    }

    /// Returns the newest `limit` baskets by time. Baskets of the same time keep their order.
    func sorted(newest limit: Int) -> PurchaseHistory {
        let baskets = enumerated().sorted { ($0.element.placed, $0.offset) < ($1.element.placed, $1.offset) }
        var history = PurchaseHistory()
        for (_, basket) in baskets.suffix(limit) { history.append(basket.placed, at: basket.place, basket.products) }
        return history
    }

    /// Returns whether the other history continues this one.
    func isPrefix(of other: PurchaseHistory) -> Bool { other.words.starts(with: words) }

    /// The numbers of all products bought so far.
    var known: Set<Int> { Set(lazy.flatMap { $0.products.lazy.map { Int($0) } }) }

    /// The number of baskets with each product, by its number.
    var timesBought: [Int: Int] {
        var times: [Int: Int] = [:]
        for basket in self {
            for product in basket.products { times[Int(product), default: 0] += 1 }
        }
        return times
    }

    /// The purchase vector after all baskets.
    var vector: PurchaseVector {
        var vector = PurchaseVector()
        for basket in self { vector.take(basket.products) }
        return vector
    }

    func makeIterator() -> Iterator { Iterator(words: words) }

    struct Iterator: IteratorProtocol {
        fileprivate let words: [UInt32]
        private var index = 0

        fileprivate init(words: [UInt32]) { self.words = words }

        mutating func next() -> Basket? {
            guard index < words.count else { return nil }
            let bits = UInt64(words[index]) | UInt64(words[index + 1]) << 32
            let place = words[index + 2] == 0 ? nil : Int(words[index + 2]) - 1
            let (start, end) = (index + 4, index + 4 + Int(words[index + 3]))
            index = end
            return Basket(
                placed: Instant(microseconds: Int64(bitPattern: bits)), place: place, products: words[start..<end])
        }
    }
}
