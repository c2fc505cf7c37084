import Crypto
import EventSourcing
import Vocabulary

/// What was learnt from all baskets.
///
/// The next-basket ridge says how much having bought one product lately speaks for another in the next basket:
/// B = (G + λI)⁻¹ C. For what somebody never bought, the baskets' order says little; there EASE (Steck, 2019) says how
/// much ever having bought one product speaks for another: E = −P / diag(P), P = (U + μI)⁻¹, its diagonal zero, where U
/// counts the shoppers who bought both.
struct Model: Sendable {
    /// Everything a model is solved from; a value that another thread may work on.
    struct Problem: Sendable {
        /// The names of the products in the order of rows and columns: byte order.
        let products: [ProductID]
        let statistics: Statistics
        /// The products' rows in the statistics.
        let rows: [Int]
        /// How far the hub was taken in.
        let position: Position
        let shoppers: Int

        /// Of the products of the head, without those that were never bought: they have no say.
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
    /// SHA-256 over the products' names and the bits of all weights: the same log gives the same.
    let digest: [UInt8]
    /// Row: what was bought; column: what follows.
    private let weights: Cholesky.Rows
    private let affinities: Cholesky.Rows
    private let ranks: [ProductID: Int]

    /// How strongly the weights are held small: λ, in squares of baskets.
    static let ridge = 1000.0
    /// The same for EASE: μ, in shoppers.
    static let affinityRidge = 600.0

    /// Two matrices, what follows and what goes together, as bytes: row by row, each number as the eight bytes of its
    /// bits, the lowest first.
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
        // λ > 0 makes it positive definite.
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

    /// The model that was solved from a problem; nil if the bytes are not its weights.
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

    /// The row of a product; nil where it was not bought when the model was solved.
    func rank(of product: ProductID) -> Int? { ranks[product] }

    /// Which of the two matrices is asked.
    enum Question: Sendable {
        /// What is in the next basket.
        case next
        /// What somebody who never bought it may like.
        case unknown
    }

    /// For each product, by rank, how strongly a taste speaks for it; summed in the order of ranks.
    func scores(of vector: [(rank: Int, weight: Double)], for question: Question) -> [Double] {
        let matrix = matrix(for: question)
        var sums = Cholesky.Rows(1, products.count)
        for (rank, weight) in vector.sorted(by: { $0.rank < $1.rank }) {
            for lane in 0..<matrix.width { sums.lanes[lane] += matrix.lanes[rank * matrix.width + lane] * weight }
        }
        return products.indices.map { sums[0, $0] }
    }

    /// How much having bought `product` speaks for `other`.
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
