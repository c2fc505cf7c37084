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
                product.flatMap { shoppers.sales.total(of: $0) > 0 ? (name: names[$0], row: row) : nil }
            }.sorted { $0.name < $1.name }
            products = bought.map(\.name)
            rows = bought.map(\.row)
            statistics = sums
            self.position = position
            self.shoppers = shoppers.count
        }
    }

    let products: [ProductID]
    let position: Position
    /// SHA-256 over the products' names and the bits of all weights. The same log gives the same digest.
    let digest: [UInt8]
    /// The matrix B. The row is a product bought before, the column a product of the next basket.
    private let weights: Cholesky.Rows
    private let affinities: Cholesky.Rows
    private let ranks: [ProductID: Int]

    /// The regularization λ of the next-basket ridge, in squared purchases.
    static let ridge = 1000.0
    /// The regularization μ of EASE, in shoppers.
    static let affinityRidge = 600.0

    /// Returns the matrices B and E as bytes: row by row, each number as the eight bytes of its bit pattern,
    /// little-endian.
    static func solve(_ problem: Problem) -> [UInt8] {
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
        let solved = Cholesky.solve(gram, cross) ?? Cholesky.Rows(count, count)
        return bytes(solved) + bytes(affinities(problem))
    }

    private static func affinities(_ problem: Problem) -> Cholesky.Rows {
        let count = problem.products.count
        var shared = Cholesky.Rows(count, count)
        var unit = Cholesky.Rows(count, count)
        for (row, number) in problem.rows.enumerated() {
            for (column, other) in problem.rows.enumerated() where column <= row {
                shared[row, column] = Double(problem.statistics.owners[max(number, other)][min(number, other)])
            }
            shared[row, row] += affinityRidge
            unit[row, row] = 1
        }
        guard var result = Cholesky.solve(shared, unit) else { return Cholesky.Rows(count, count) }
        let diagonal = (0..<count).map { result[$0, $0] }
        for row in 0..<count {
            for column in 0..<count {
                result[row, column] = row == column ? 0 : -result[row, column] / diagonal[column]
            }
        }
        return result
    }

    private static func bytes(_ matrix: Cholesky.Rows) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(matrix.count * matrix.columns * 8)
        for row in 0..<matrix.count {
            for column in 0..<matrix.columns {
                var bits = matrix[row, column].bitPattern
                for _ in 0..<8 {
                    bytes.append(UInt8(truncatingIfNeeded: bits))
                    bits >>= 8
                }
            }
        }
        return bytes
    }

    private static func matrix(_ bytes: ArraySlice<UInt8>, of count: Int) -> Cholesky.Rows {
        var matrix = Cholesky.Rows(count, count)
        var index = bytes.startIndex
        for row in 0..<count {
            for column in 0..<count {
                var bits: UInt64 = 0
                for byte in 0..<8 { bits |= UInt64(bytes[index + byte]) << UInt64(8 * byte) }
                matrix[row, column] = Double(bitPattern: bits)
                index += 8
            }
        }
        return matrix
    }

    /// Creates the model from its problem and the bytes of `solve`. Fails if the bytes do not have the size of its
    /// weights.
    init?(_ problem: Problem, solved bytes: [UInt8]) {
        let count = problem.products.count
        let half = count * count * 8
        guard bytes.count == 2 * half else { return nil }
        weights = Self.matrix(bytes[..<half], of: count)
        affinities = Self.matrix(bytes[half...], of: count)
        products = problem.products
        position = problem.position
        ranks = Dictionary(uniqueKeysWithValues: problem.products.enumerated().map { ($1, $0) })
        var names: [UInt8] = []
        for product in problem.products { names += Array(product.rawValue.utf8) + [0] }
        digest = SHA256.hash(names, bytes)
    }

    /// Returns the row of a product, or nil if the model does not contain it.
    func rank(of product: ProductID) -> Int? { ranks[product] }

    /// The prediction to make, which selects one of the two matrices.
    enum Question: Sendable {
        /// The products of the next basket, from the matrix B.
        case next
        /// Products that the shopper never bought, from the matrix E.
        case unknown
    }

    /// Returns the score of each product, by rank, for a vector of purchases. Sums in the order of ranks.
    func scores(of vector: [(rank: Int, weight: Double)], for question: Question) -> [Double] {
        let matrix = matrix(for: question)
        var sums = Cholesky.Rows(1, products.count)
        for (rank, weight) in vector.sorted(by: { $0.rank < $1.rank }) {
            for lane in 0..<matrix.width { sums.lanes[lane] += matrix.lanes[rank * matrix.width + lane] * weight }
        }
        return products.indices.map { sums[0, $0] }
    }

    /// Returns the weight with which a purchase of `product` counts for `other`.
    func weight(of product: Int, for other: Int, _ question: Question) -> Double {
        matrix(for: question)[product, other]
    }

    private func matrix(for question: Question) -> Cholesky.Rows {
        switch question {
        case .next: weights
        case .unknown: affinities
        }
    }
}
