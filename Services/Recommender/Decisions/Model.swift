import Crypto
import EventSourcing
import Vocabulary

/// What the next-basket ridge has learnt: how much having bought one product lately speaks for another in the next
/// basket. B = (G + λI)⁻¹ C.
struct Model: Sendable {
    /// Everything a model is solved from; a value that another thread may work on.
    struct Problem: Sendable {
        /// The names of the products in the order of rows and columns: byte order.
        let products: [ProductID]
        let statistics: Statistics
        /// The products' numbers in the statistics.
        let numbers: [Int]
        /// How far the hub was taken in.
        let position: Position
        let shoppers: Int

        /// Leaves out what nobody bought: it has no say.
        init(_ shoppers: Shoppers, names: [ProductID], position: Position) {
            let sums = shoppers.sums
            let bought = (0..<min(sums.width, names.count)).filter { sums.baskets(with: $0) > 0 }
                .sorted { names[$0] < names[$1] }
            products = bought.map { names[$0] }
            numbers = bought
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
    private let ranks: [ProductID: Int]

    /// How strongly the weights are held small: λ, in squares of baskets.
    static let ridge = 1000.0

    /// The weights as bytes, row by row, each as the eight bytes of its bits, the lowest first.
    static func solve(_ problem: Problem) -> [UInt8] {
        let count = problem.products.count
        let unit = Double(Taste.one)
        var gram = Cholesky.Rows(count, count)
        var cross = Cholesky.Rows(count, count)
        for (row, number) in problem.numbers.enumerated() {
            for (column, other) in problem.numbers.enumerated() {
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * count * 8)
        for row in 0..<count {
            for column in 0..<count {
                var bits = solved[row, column].bitPattern
                for _ in 0..<8 {
                    bytes.append(UInt8(truncatingIfNeeded: bits))
                    bits >>= 8
                }
            }
        }
        return bytes
    }

    /// The model that was solved from a problem; nil if the bytes are not its weights.
    init?(_ problem: Problem, solved bytes: [UInt8]) {
        let count = problem.products.count
        guard bytes.count == count * count * 8 else { return nil }
        var weights = Cholesky.Rows(count, count)
        var index = 0
        for row in 0..<count {
            for column in 0..<count {
                var bits: UInt64 = 0
                for byte in 0..<8 { bits |= UInt64(bytes[index + byte]) << UInt64(8 * byte) }
                weights[row, column] = Double(bitPattern: bits)
                index += 8
            }
        }
        products = problem.products
        position = problem.position
        self.weights = weights
        ranks = Dictionary(uniqueKeysWithValues: problem.products.enumerated().map { ($1, $0) })
        var names: [UInt8] = []
        for product in problem.products { names += Array(product.rawValue.utf8) + [0] }
        digest = SHA256.hash(names, bytes)
    }

    /// The row of a product; nil where it was not bought when the model was solved.
    func rank(of product: ProductID) -> Int? { ranks[product] }

    /// For each product, by rank, how strongly a taste speaks for it; summed in the order of ranks.
    func scores(of taste: [(rank: Int, weight: Double)]) -> [Double] {
        var sums = Cholesky.Rows(1, products.count)
        for (rank, weight) in taste.sorted(by: { $0.rank < $1.rank }) {
            for lane in 0..<weights.width { sums.lanes[lane] += weights.lanes[rank * weights.width + lane] * weight }
        }
        return products.indices.map { sums[0, $0] }
    }

    /// How much having bought `product` speaks for `other`.
    func weight(of product: Int, for other: Int) -> Double { weights[product, other] }
}
