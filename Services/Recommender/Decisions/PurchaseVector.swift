/// How often somebody bought each product, older baskets counting less: the vector x of the next-basket ridge.
///
/// Weights are whole numbers, so that sums of their products don't depend on the order of summation, and what was
/// added can be taken out again to the last bit.
struct PurchaseVector: Equatable, Sendable {
    /// The weight of one purchase in the newest basket: 14 binary places.
    static let one: Int64 = 1 << 14
    /// What is left of a weight after one more basket, in 65,536ths: 0.95.
    private static let kept: Int64 = 62_259

    /// The products with a weight, in ascending order, and their weights.
    private(set) var products: [Int] = []
    private(set) var weights: [Int64] = []

    /// One more basket; its products in ascending order, each once.
    mutating func take(_ basket: [Int]) {
        var merged: [Int] = []
        var faded: [Int64] = []
        merged.reserveCapacity(products.count + basket.count)
        faded.reserveCapacity(products.count + basket.count)
        var next = 0
        for (product, weight) in zip(products, weights) {
            while next < basket.count, basket[next] < product {
                merged.append(basket[next])
                faded.append(Self.one)
                next += 1
            }
            var left = (weight * Self.kept) >> 16
            if next < basket.count, basket[next] == product {
                left += Self.one
                next += 1
            }
            guard left > 0 else { continue }
            merged.append(product)
            faded.append(left)
        }
        while next < basket.count {
            merged.append(basket[next])
            faded.append(Self.one)
            next += 1
        }
        (products, weights) = (merged, faded)
    }
}
