/// The weight with which a purchase of a product predicts its next purchase: a ridge regression for each product alone.
///
/// It needs two sums per product instead of a matrix row and column. So it exists for every product and ranks those
/// outside the model.
struct Repeats: Sendable {
    /// Σ x² and Σ x y of each product over all transitions, as integers like those of ``Statistics``.
    private var squares: [Int64] = []
    private var followed: [Int64] = []

    /// Extends the sums to the products with numbers below `count`.
    mutating func widen(to count: Int) {
        guard count > squares.count else { return }
        squares += Array(repeating: 0, count: count - squares.count)
        followed += Array(repeating: 0, count: count - followed.count)
    }

    /// Adds a transition from a purchase vector to the basket after it, or removes it if `times` is −1.
    mutating func add(_ vector: PurchaseVector, followedBy basket: ArraySlice<UInt32>, times: Int64) {
        var next = basket.startIndex
        for (product, weight) in zip(vector.products, vector.weights) {
            squares[product] += times * weight * weight
            while next < basket.endIndex, basket[next] < product { next += 1 }
            if next < basket.endIndex, basket[next] == product { followed[product] += times * weight }
        }
    }

    /// The regularization λ, in squared purchases. It is lower than ``Model/ridge``: products outside the model are
    /// bought less often.
    static let ridge = 100.0

    /// Returns Σ x y / (Σ x² + λ), the solution of the ridge for this product alone.
    func weight(of product: Int) -> Double {
        guard product < squares.count else { return 0 }
        let unit = Double(PurchaseVector.one)
        return Double(followed[product]) / unit / (Double(squares[product]) / (unit * unit) + Self.ridge)
    }
}
