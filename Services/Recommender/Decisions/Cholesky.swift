/// Solves A X = B for a symmetric positive definite A, row by row, with a fixed order of summation.
///
/// A replay of the log has to give the same model, bit for bit. A linear algebra library is faster on large systems,
/// but it chooses kernels by processor and splits sums among threads, so its last bits differ between machines. IEEE
/// 754 rounds additions, multiplications, divisions and square roots correctly, and Swift fuses none of them. A
/// thousand products take about a second.
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

    /// Replaces B by X. Returns false, and leaves B undefined, if A is not positive definite.
    ///
    /// Works in place, because a copy of the largest matrices would double the memory that a solution takes.
    ///
    /// - Parameter a: the matrix A, of which only the lower triangle is read. It is replaced by its factor L.
    static func solve(_ a: inout Rows, _ b: inout Rows) -> Bool {
        guard factor(&a) else { return false }
        forward(a, &b)
        backward(a, &b)
        return true
    }

    /// Replaces A by the lower triangular L with A = L Lᵀ. Returns false if A is not positive definite.
    private static func factor(_ a: inout Rows) -> Bool {
        for row in 0..<a.count {
            // The upper triangle of the factor is zero, so whole SIMD vectors can be multiplied.
            for column in (row + 1)..<max(row + 1, a.columns) { a[row, column] = 0 }
            for column in 0...row {
                let rest = a[row, column] - product(a, row, column)
                guard column == row else {
                    a[row, column] = rest / a[column, column]
                    continue
                }
                guard rest > 0 else { return false }
                a[row, row] = rest.squareRoot()
            }
        }
        return true
    }

    /// Returns the sum of L[row, k] L[column, k] over all k below `column`.
    private static func product(_ lower: Rows, _ row: Int, _ column: Int) -> Double {
        let (first, second) = (row * lower.width, column * lower.width)
        let whole = column / laneCount
        var sum = Lanes.zero
        for lane in 0..<whole { sum += lower.lanes[first + lane] * lower.lanes[second + lane] }
        // In the last vector, the entry of `column` is not solved yet; after it, the second row is zero.
        var last = lower.lanes[first + whole] * lower.lanes[second + whole]
        last[column % laneCount] = 0
        return total(sum + last)
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
