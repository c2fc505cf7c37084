import Vocabulary

/// The products with the highest scores seen so far, at most `most`, best first. Ties are in byte order of their names.
struct BestProducts {
    private let most: Int
    private let names: [ProductID]
    /// The numbers of the products, best first, and their scores.
    private(set) var products: [Int] = []
    private var scores: [Float] = []

    init(_ most: Int, names: [ProductID]) {
        self.most = most
        self.names = names
    }

    /// Returns whether a product with this score may be among the best.
    func wouldTake(_ score: Float) -> Bool { products.count < most || scores.last.map { $0 <= score } ?? (most > 0) }

    mutating func offer(_ product: Int, _ score: Float) {
        guard wouldTake(score) else { return }
        var index = products.count
        while index > 0 {
            let isBetter =
                scores[index - 1] == score
                ? names[product] < names[products[index - 1]] : scores[index - 1] < score
            guard isBetter else { break }
            index -= 1
        }
        guard index < most else { return }
        products.insert(product, at: index)
        scores.insert(score, at: index)
        guard products.count > most else { return }
        products.removeLast()
        scores.removeLast()
    }
}
