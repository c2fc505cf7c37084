import Crypto
import EventSourcing
import Vocabulary

/// The weights learnt from all baskets.
///
/// The next-basket ridge regression B = (G + λI)⁻¹ C predicts the next basket from recent purchases. For products that
/// a shopper never bought, the order of the baskets adds little. There the model uses EASE (Steck, 2019): E = −P /
/// diag(P) with a zero diagonal, P = (U + μI)⁻¹, where U counts the shoppers who bought both products.
struct Model: Sendable {
    /// The input from which a model is solved; a value that can be sent to a worker thread.
    struct Problem: Sendable {
        /// The names of the products in the order of rows and columns, which is byte order.
        let products: [ProductID]
        /// The numbers of the products in the same order.
        let numbers: [Int]
        let statistics: Statistics
        /// The products' rows in the statistics.
        let rows: [Int]
        /// The hub position up to which events were consumed.
        let position: Position
        let shoppers: Int

        /// Takes the products of the head that were bought at least once.
        init(_ shoppers: Shoppers, names: [ProductID], position: Position) {
            let sums = shoppers.sums
            let bought = sums.products.enumerated().compactMap { row, product in
                product.flatMap {
                    shoppers.sales.total(of: $0) > 0 ? (name: names[$0], number: $0, row: row) : nil
                }
            }.sorted { $0.name < $1.name }
            products = bought.map(\.name)
            numbers = bought.map(\.number)
            rows = bought.map(\.row)
            statistics = sums
            self.position = position
            self.shoppers = shoppers.count
        }
    }

    let products: [ProductID]
    /// The numbers of the products.
    let numbers: [Int]
    let position: Position
    /// SHA-256 over the products' names and the bits of all weights. The same log gives the same digest.
    let digest: [UInt8]
    /// The matrix B. The row is a product bought before, the column a product of the next basket.
    private let weights: WeightMatrix
    private let affinities: WeightMatrix
    /// The row of each product, by its number, or −1.
    private let ranks: [Int32]

    /// The regularization λ of the next-basket ridge, in squared purchases.
    static let ridge = 600.0
    /// The regularization μ of EASE, in shoppers.
    static let affinityRidge = 600.0

    /// Returns the bytes of the matrices B and E, as ``WeightMatrix`` reads them.
    static func solve(_ problem: Problem) -> [UInt8] {
        WeightMatrix.bytes(nextBasket(problem)) + WeightMatrix.bytes(affinities(problem))
    }

    private static func nextBasket(_ problem: Problem) -> Cholesky.Rows {
        let count = problem.products.count
        let unit = Double(PurchaseVector.one)
        var gram = Cholesky.Rows(count, count)
        var cross = Cholesky.Rows(count, count)
        for (row, number) in problem.rows.enumerated() {
            for (column, other) in problem.rows.enumerated() {
                if column <= row {
                    let sum = problem.statistics.gram[max(number, other)][min(number, other)]
                    // Division by a power of two is exact.
                    gram[row, column] = Double(sum) / (unit * unit) + (column == row ? ridge : 0)
                }
                cross[row, column] = Double(problem.statistics.cross[number][other]) / unit
            }
        }
        // λ > 0 makes the matrix positive definite.
        return Cholesky.solve(&gram, &cross) ? cross : Cholesky.Rows(count, count)
    }

    private static func affinities(_ problem: Problem) -> Cholesky.Rows {
        let count = problem.products.count
        var shared = Cholesky.Rows(count, count)
        var result = Cholesky.Rows(count, count)
        for (row, number) in problem.rows.enumerated() {
            for (column, other) in problem.rows.enumerated() where column <= row {
                shared[row, column] = Double(problem.statistics.owners[max(number, other)][min(number, other)])
            }
            shared[row, row] += affinityRidge
            result[row, row] = 1
        }
        guard Cholesky.solve(&shared, &result) else { return Cholesky.Rows(count, count) }
        let diagonal = (0..<count).map { result[$0, $0] }
        for row in 0..<count {
            for column in 0..<count {
                result[row, column] = row == column ? 0 : -result[row, column] / diagonal[column]
            }
        }
        return result
    }

    /// Creates the model from its problem and the bytes of `solve`. Fails if the bytes do not have the size of its
    /// weights.
    init?(_ problem: Problem, solved bytes: [UInt8]) {
        let count = problem.products.count
        guard bytes.count % 2 == 0, let weights = WeightMatrix(bytes[..<(bytes.count / 2)], of: count),
            let affinities = WeightMatrix(bytes[(bytes.count / 2)...], of: count)
        else { return nil }
        self.weights = weights
        self.affinities = affinities
        products = problem.products
        numbers = problem.numbers
        position = problem.position
        var ranks: [Int32] = Array(repeating: -1, count: (problem.numbers.max() ?? -1) + 1)
        for (rank, number) in problem.numbers.enumerated() { ranks[number] = Int32(rank) }
        self.ranks = ranks
        var names: [UInt8] = []
        for product in problem.products { names += Array(product.rawValue.utf8) + [0] }
        digest = SHA256.hash(names, bytes)
    }

    /// Returns the row of the product with this number, or nil if the model does not contain it.
    func rank(of number: Int) -> Int? {
        guard number < ranks.count, ranks[number] >= 0 else { return nil }
        return Int(ranks[number])
    }

    /// The prediction to make, which selects one of the two matrices.
    enum Question: Sendable {
        /// The products of the next basket, from the matrix B.
        case next
        /// Products that the shopper never bought, from the matrix E.
        case unknown
    }

    /// Returns the score of each product, by rank, for a vector of purchases in the order of ranks.
    func scores(of vector: [(rank: Int, weight: Float)], for question: Question) -> [Float] {
        matrix(for: question).product(with: vector)
    }

    /// Returns the weight with which a purchase of `product` counts for `other`.
    func weight(of product: Int, for other: Int, _ question: Question) -> Float {
        matrix(for: question)[product, other]
    }

    private func matrix(for question: Question) -> WeightMatrix {
        switch question {
        case .next: weights
        case .unknown: affinities
        }
    }
}
