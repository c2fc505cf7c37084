import Crypto
import TestKit
import Testing
import Vocabulary

@testable import Recommender

@Suite("Cholesky solver")
struct CholeskyTests {
    @Test func `the solver solves a small system and rejects a matrix that is not positive definite`() throws {
        var a = Cholesky.Rows(2, 2)
        (a[0, 0], a[1, 0], a[1, 1]) = (4, 2, 3)
        var b = Cholesky.Rows(2, 1)
        (b[0, 0], b[1, 0]) = (10, 9)
        #expect(Self.isSolved(&a, &b))
        #expect(abs(b[0, 0] - 1.5) < 1e-12 && abs(b[1, 0] - 2) < 1e-12)
        (a[0, 0], a[1, 0], a[1, 1]) = (1, 2, 3)
        #expect(!Self.isSolved(&a, &b), "it is not positive definite")
    }

    @Test func `the solver leaves a tiny residual and gives the same bits on every machine`() throws {
        let count = 37
        var random = SplitMix64(seed: 5)
        func next() -> Double { Double(random.next() >> 11) / Double(1 << 53) - 0.5 }
        let m = (0..<count).map { _ in (0..<count).map { _ in next() } }
        var a = Cholesky.Rows(count, count)
        var b = Cholesky.Rows(count, count)
        for row in 0..<count {
            for column in 0..<count {
                b[row, column] = next()
                let dot = (0..<count).reduce(0.0) { $0 + m[row][$1] * m[column][$1] }
                if column <= row { a[row, column] = dot + (row == column ? 1 : 0) }
            }
        }
        var (factor, x) = (a, b)
        #expect(Self.isSolved(&factor, &x))
        var worst = 0.0
        var bits: [UInt8] = []
        for row in 0..<count {
            for column in 0..<count {
                let product = (0..<count).reduce(0.0) { sum, k in
                    sum + (k <= row ? a[row, k] : a[k, row]) * x[k, column]
                }
                worst = max(worst, abs(product - b[row, column]))
                bits += (0..<8).map { UInt8(truncatingIfNeeded: x[row, column].bitPattern >> (8 * $0)) }
            }
        }
        #expect(worst < 1e-11)
        let digest = Hex.encode(SHA256.hash(bits))
        print("recommender: 37 equations, rest \(worst), bits \(digest.prefix(16))…")
        #expect(digest.hasPrefix("2904b6f5f59b752b"))
    }

    private static func isSolved(_ a: inout Cholesky.Rows, _ b: inout Cholesky.Rows) -> Bool {
        Cholesky.solve(&a, &b)
    }
}
