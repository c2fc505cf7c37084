/// How much having bought a product speaks for buying it again: the ridge of each product by itself.
///
/// It needs two sums for each product, where the model needs a row and a column. So it exists for every product, and
/// ranks those that the model has no room for.
struct Repeats: Sendable {
    /// Σ x² and Σ x y of the product itself, over all transitions; whole numbers as in ``Statistics``.
    private var squares: [Int64] = []
    private var followed: [Int64] = []

    /// Makes room for the products below `count`.
    mutating func widen(to count: Int) {
        guard count > squares.count else { return }
        squares += Array(repeating: 0, count: count - squares.count)
        followed += Array(repeating: 0, count: count - followed.count)
    }

    /// Adds a basket that followed a taste; with `times` −1 takes it out.
    mutating func add(_ vector: PurchaseVector, followedBy basket: [Int], times: Int64) {
        var next = 0
        for (product, weight) in zip(vector.products, vector.weights) {
            squares[product] += times * weight * weight
            while next < basket.count, basket[next] < product { next += 1 }
            if next < basket.count, basket[next] == product { followed[product] += times * weight }
        }
    }

    /// Returns Σ x y / (Σ x² + λ), the solution of the ridge for this product alone.
    func weight(of product: Int) -> Double {
        guard product < squares.count else { return 0 }
        let unit = Double(PurchaseVector.one)
        return Double(followed[product]) / unit / (Double(squares[product]) / (unit * unit) + Model.ridge)
    }
}
