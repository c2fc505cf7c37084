/// A square matrix of learnt weights in single precision, with rows padded to whole SIMD vectors.
///
/// The weights are solved in double precision; rounding them halves the memory and moves no measured score.
struct WeightMatrix: Sendable {
    private typealias Lanes = SIMD16<Float>
    private static let laneCount = 16

    private let count: Int
    /// SIMD vectors per row.
    private let width: Int
    private var lanes: [Lanes]

    /// Returns a matrix as bytes: row by row, each weight as the four bytes of its bit pattern, little-endian.
    static func bytes(_ matrix: Cholesky.Rows) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(matrix.count * matrix.columns * 4)
        for row in 0..<matrix.count {
            for column in 0..<matrix.columns {
                let bits = Float(matrix[row, column]).bitPattern
                for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            }
        }
        return bytes
    }

    /// Reads the bytes of a matrix with `count` rows. Fails if their number is another.
    init?(_ bytes: ArraySlice<UInt8>, of count: Int) {
        guard bytes.count == count * count * 4 else { return nil }
        self.count = count
        width = (count + Self.laneCount - 1) / Self.laneCount
        lanes = Array(repeating: .zero, count: count * width)
        var index = bytes.startIndex
        for row in 0..<count {
            for column in 0..<count {
                var bits: UInt32 = 0
                for byte in 0..<4 { bits |= UInt32(bytes[index + byte]) << UInt32(8 * byte) }
                lanes[row * width + column / Self.laneCount][column % Self.laneCount] = Float(bitPattern: bits)
                index += 4
            }
        }
    }

    subscript(_ row: Int, _ column: Int) -> Float {
        lanes[row * width + column / Self.laneCount][column % Self.laneCount]
    }

    /// Returns the product of a sparse row vector with the matrix. Sums in the order of the vector.
    func product(with vector: [(rank: Int, weight: Float)]) -> [Float] {
        var sums = Array(repeating: Lanes.zero, count: width)
        for (rank, weight) in vector {
            let start = rank * width
            for lane in 0..<width { sums[lane] += lanes[start + lane] * weight }
        }
        return (0..<count).map { sums[$0 / Self.laneCount][$0 % Self.laneCount] }
    }
}
