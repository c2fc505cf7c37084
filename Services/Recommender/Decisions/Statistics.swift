/// The sums that the next-basket ridge is solved from, and the counts that other shelves are made of; all of them
/// whole numbers.
///
/// A transition is a taste x and the basket y that followed it: `gram` is Σ x xᵀ and `cross` is Σ x yᵀ. Whatever order
/// baskets come in, the sums are the same; a shopper's terms are taken out as they were added.
struct Statistics: Equatable, Sendable {
    /// Row i holds columns 0 … i: the matrix is symmetric.
    private(set) var gram: [[Int64]] = []
    private(set) var cross: [[Int64]] = []
    /// How many baskets two products were in together; row i holds columns 0 … i, a product with itself being how many
    /// baskets it was in.
    private(set) var together: [[Int64]] = []
    /// How many shoppers ever bought both of two products; row i holds columns 0 … i.
    private(set) var owners: [[Int64]] = []
    /// How many baskets of each day (UTC, from 1970) held a product.
    private(set) var daily: [Int: [Int: Int64]] = [:]
    private(set) var transitions = 0
    private(set) var baskets = 0

    /// How many products there are room for.
    var width: Int { gram.count }

    /// Room for the products below `count`.
    mutating func widen(to count: Int) {
        guard count > width else { return }
        for row in width..<count {
            gram.append(Array(repeating: 0, count: row + 1))
            together.append(Array(repeating: 0, count: row + 1))
            owners.append(Array(repeating: 0, count: row + 1))
        }
        for row in cross.indices { cross[row] += Array(repeating: 0, count: count - cross[row].count) }
        while cross.count < count { cross.append(Array(repeating: 0, count: count)) }
    }

    /// Adds a basket that followed a taste; with `times` −1 takes it out.
    mutating func add(_ taste: Taste, followedBy basket: [Int], times: Int64) {
        for (index, row) in taste.products.enumerated() {
            let weight = taste.weights[index] * times
            for column in 0...index { gram[row][taste.products[column]] += weight * taste.weights[column] }
            for column in basket { cross[row][column] += weight }
        }
        transitions += Int(times)
    }

    /// Counts a shopper who bought a product for the first time, and all of `known` before or with it; with `times` −1
    /// takes it out.
    mutating func own(_ product: Int, beside known: [Int], times: Int64) {
        for other in known { owners[max(product, other)][min(product, other)] += times }
    }

    /// Counts a basket of a day; with `times` −1 takes it out.
    mutating func count(_ basket: [Int], on day: Int, times: Int64) {
        for (index, row) in basket.enumerated() {
            for column in 0...index { together[row][basket[column]] += times }
        }
        for product in basket {
            daily[day, default: [:]][product, default: 0] += times
            if daily[day]?[product] == 0 { daily[day]?[product] = nil }
        }
        if daily[day]?.isEmpty == true { daily[day] = nil }
        baskets += Int(times)
    }

    /// How many baskets a product was in.
    func baskets(with product: Int) -> Int64 {
        product < width ? together[product][product] : 0
    }

    /// How many baskets held both.
    func baskets(with product: Int, and other: Int) -> Int64 {
        let (row, column) = (max(product, other), min(product, other))
        return row < width ? together[row][column] : 0
    }

    /// How many baskets held each product within the last `days` days before the newest basket's day ended.
    func recent(days: Int) -> [Int64] {
        var counts: [Int64] = Array(repeating: 0, count: width)
        guard let newest = daily.keys.max() else { return counts }
        for day in (newest - days + 1)...newest {
            for (product, count) in daily[day] ?? [:] { counts[product] += count }
        }
        return counts
    }
}
