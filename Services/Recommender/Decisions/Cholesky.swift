/// Solves A X = B for a symmetric positive definite A, row by row, with a fixed order of summation.
///
/// A replay of the log has to give the same model, bit for bit. A linear algebra library is faster on large systems,
/// but it chooses kernels by processor and splits sums among threads, so its last bits differ between machines. IEEE
/// 754 rounds additions, multiplications, divisions and square roots correctly, and Swift fuses none of them. A few
/// hundred products take a fraction of a second.
enum Cholesky {
    typealias Lanes = SIMD8<Double>
    static let laneCount = 8

    /// A matrix whose rows are padded with zeros to whole SIMD vectors.
    struct Rows: Equatable, Sendable {
        let count: Int
        let columns: Int
        /// SIMD vectors per row.
        let width: Int
        var lanes: [Lanes]

        init(_ count: Int, _ columns: Int) {
            self.count = count
            self.columns = columns
            width = (columns + laneCount - 1) / laneCount
            lanes = Array(repeating: .zero, count: count * width)
        }

        subscript(_ row: Int, _ column: Int) -> Double {
            get { lanes[row * width + column / laneCount][column % laneCount] }
            set { lanes[row * width + column / laneCount][column % laneCount] = newValue }
        }
    }

    /// Returns X, or nil if A is not positive definite.
    ///
    /// - Parameter a: the matrix A, of which only the lower triangle is read.
    static func solve(_ a: Rows, _ b: Rows) -> Rows? {
        guard let lower = factor(a) else { return nil }
        var x = b
        forward(lower, &x)
        backward(lower, &x)
        return x
    }

    /// Returns the lower triangular L of A = L Lᵀ, or nil if A is not positive definite.
    private static func factor(_ a: Rows) -> Rows? {
        var lower = Rows(a.count, a.columns)
        let width = lower.width
        for row in 0..<a.count {
            for column in 0...row {
                var sum = Lanes.zero
                // Entries of `row` from `column` on are not computed yet and are zero.
                for lane in 0...(column / laneCount) {
                    sum += lower.lanes[row * width + lane] * lower.lanes[column * width + lane]
                }
                let rest = a[row, column] - total(sum)
                guard column == row else {
                    lower[row, column] = rest / lower[column, column]
                    continue
                }
                guard rest > 0 else { return nil }
                lower[row, row] = rest.squareRoot()
            }
        }
        return lower
    }

    /// Solves L Y = B in place.
    private static func forward(_ lower: Rows, _ x: inout Rows) {
        for row in 0..<x.count {
            let factors = (0..<row).map { lower[row, $0] }
            eliminate(row, factors, of: 0, lower[row, row], &x)
        }
    }

    /// Solves Lᵀ X = Y in place.
    private static func backward(_ lower: Rows, _ x: inout Rows) {
        for row in (0..<x.count).reversed() {
            let factors = ((row + 1)..<x.count).map { lower[$0, row] }
            eliminate(row, factors, of: row + 1, lower[row, row], &x)
        }
    }

    /// Subtracts multiples of the rows from `first` on from `row`, four at a time, and divides the result by `divisor`.
    private static func eliminate(
        _ row: Int, _ factors: [Double], of first: Int, _ divisor: Double, _ x: inout Rows
    ) {
        let width = x.width
        var rest = Array(x.lanes[row * width..<(row + 1) * width])
        var index = 0
        while index + 3 < factors.count {
            let (a, b, c, d) = (factors[index], factors[index + 1], factors[index + 2], factors[index + 3])
            let start = (first + index) * width
            for lane in 0..<width {
                let at = start + lane
                rest[lane] -= x.lanes[at] * a
                rest[lane] -= x.lanes[at + width] * b
                rest[lane] -= x.lanes[at + 2 * width] * c
                rest[lane] -= x.lanes[at + 3 * width] * d
            }
            index += 4
        }
        while index < factors.count {
            let start = (first + index) * width
            for lane in 0..<width { rest[lane] -= x.lanes[start + lane] * factors[index] }
            index += 1
        }
        for lane in 0..<width { x.lanes[row * width + lane] = rest[lane] / divisor }
    }

    /// Returns the sum of all lanes in a fixed order.
    private static func total(_ lanes: Lanes) -> Double {
        let pairs = lanes.lowHalf + lanes.highHalf
        let two = pairs.lowHalf + pairs.highHalf
        return two[0] + two[1]
    }
}
