/// The sums that the model is solved from, and the counts of products in the same basket, all as integers.
///
/// A transition is a purchase vector x and the basket y that followed it: `gram` is Σ x xᵀ and `cross` is Σ x yᵀ. The
/// sums do not depend on the order of the baskets, and a shopper's terms can be subtracted exactly.
///
/// Only products of the head have a row, so the memory is bounded. A product that enters the head is counted from all
/// stored baskets, as if it had been in the head from the beginning.
struct Statistics: Sendable {
    /// The product of each row, or nil for a free row.
    private(set) var products: [Int?] = []
    /// The row of each product of the head, by the product's number, or nil for other products.
    private var rows: [Int?] = []
    /// The matrix Σ x xᵀ. It is symmetric, so row i holds columns 0 … i.
    private(set) var gram: [[Int64]] = []
    private(set) var cross: [[Int64]] = []
    /// The number of baskets with both of two products, in whole rows: suggestions read the row of a product.
    private(set) var together: [[Int32]] = []
    /// The number of shoppers who bought both of two products. Row i holds columns 0 … i.
    private(set) var owners: [[Int32]] = []

    /// A product of the head with its value in a purchase vector or a basket.
    private struct Term {
        let row: Int
        let value: Int64
        /// Whether all pairs with this term are added, or only those with a term that counts.
        let counts: Bool
    }

    /// Returns the row of a product, or nil if it is not in the head.
    func row(of product: Int) -> Int? { product < rows.count ? rows[product] : nil }

    // MARK: The head

    /// Gives exactly these products a row and returns those that had none.
    ///
    /// The sums of the returned products are zero until the baskets of all shoppers are added with `only`.
    mutating func place(_ head: [Int]) -> ProductFlags {
        let wanted = Set(head)
        for (row, product) in products.enumerated() {
            guard let product, !wanted.contains(product) else { continue }
            clear(row)
            products[row] = nil
            rows[product] = nil
        }
        let entering = head.filter { row(of: $0) == nil }
        guard let last = entering.max() else { return ProductFlags([]) }
        if last >= rows.count { rows += Array(repeating: nil, count: last + 1 - rows.count) }
        widen(by: entering.count - products.count { $0 == nil })
        for (product, row) in zip(entering, products.indices.filter { products[$0] == nil }) {
            products[row] = product
            rows[product] = row
        }
        return ProductFlags(entering)
    }

    private mutating func widen(by more: Int) {
        guard more > 0 else { return }
        let count = products.count + more
        for row in products.count..<count {
            gram.append(Array(repeating: 0, count: row + 1))
            owners.append(Array(repeating: 0, count: row + 1))
        }
        for row in cross.indices {
            cross[row] += Array(repeating: 0, count: more)
            together[row] += Array(repeating: 0, count: more)
        }
        while cross.count < count {
            cross.append(Array(repeating: 0, count: count))
            together.append(Array(repeating: 0, count: count))
        }
        products += Array(repeating: nil, count: more)
    }

    private mutating func clear(_ row: Int) {
        for column in products.indices {
            let (high, low) = (max(row, column), min(row, column))
            gram[high][low] = 0
            together[high][low] = 0
            together[low][high] = 0
            owners[high][low] = 0
            cross[row][column] = 0
            cross[column][row] = 0
        }
    }

    // MARK: Counting

    /// Adds a transition from a purchase vector to the basket after it, or removes it if `times` is −1.
    ///
    /// - Parameter only: the products of which at least one must be in each added pair, or nil to add all pairs.
    mutating func add(
        _ vector: PurchaseVector, followedBy basket: ArraySlice<UInt32>, times: Int64, only: ProductFlags? = nil
    ) {
        let tastes = terms(vector.products, vector.weights, only)
        Self.addPairs(tastes, times: times, to: &gram)
        let following = terms(basket.lazy.map { Int($0) }, nil, only)
        let entering = following.filter(\.counts)
        for term in tastes {
            for column in term.counts ? following : entering { cross[term.row][column.row] += times * term.value }
        }
    }

    /// Counts the pairs of products in a basket, or removes them if `times` is −1.
    mutating func count(_ basket: ArraySlice<UInt32>, times: Int64, only: ProductFlags? = nil) {
        let terms = terms(basket.lazy.map { Int($0) }, nil, only)
        let entering = terms.filter(\.counts)
        for term in terms {
            for other in term.counts ? terms : entering { together[term.row][other.row] += Int32(times) }
        }
    }

    /// Counts a shopper's first purchase of a product beside all of `known`, or removes it if `times` is −1.
    mutating func own(_ product: Int, beside known: Set<Int>, times: Int64) {
        guard let row = self.row(of: product) else { return }
        for other in known {
            if let column = self.row(of: other) { owners[max(row, column)][min(row, column)] += Int32(times) }
        }
    }

    /// Counts a shopper who bought all of `known`, for pairs with at least one product of `only`.
    mutating func own(_ known: Set<Int>, only: ProductFlags) {
        Self.addPairs(terms(known, nil, only), times: 1, to: &owners)
    }

    /// Returns the terms of the products that have a row, in the order of rows. Their values are 1 without `values`.
    private func terms(_ products: some Collection<Int>, _ values: [Int64]?, _ only: ProductFlags?) -> [Term] {
        var terms: [Term] = []
        terms.reserveCapacity(products.count)
        for (index, product) in products.enumerated() {
            guard let row = self.row(of: product) else { continue }
            terms.append(Term(row: row, value: values?[index] ?? 1, counts: only?[product] ?? true))
        }
        terms.sort { $0.row < $1.row }
        return terms
    }

    private static func addPairs<Count: FixedWidthInteger>(
        _ terms: [Term], times: Int64, to matrix: inout [[Count]]
    ) {
        let entering = terms.filter(\.counts)
        guard !entering.isEmpty else { return }
        for term in terms {
            let value = times * term.value
            for column in term.counts ? terms : entering {
                guard column.row <= term.row else { break }
                matrix[term.row][column.row] += Count(value * column.value)
            }
        }
    }

    /// Returns the number of baskets with both products, or 0 if one of them is not in the head.
    func baskets(with product: Int, and other: Int) -> Int64 {
        guard let row = self.row(of: product), let column = self.row(of: other) else { return 0 }
        return baskets(row, column)
    }

    /// Returns the number of baskets with the products of both rows.
    func baskets(_ row: Int, _ column: Int) -> Int64 {
        Int64(together[row][column])
    }
}
