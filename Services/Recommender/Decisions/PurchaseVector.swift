/// A shopper's purchases of each product, with lower weights for older baskets: the vector x of the next-basket ridge.
///
/// Weights are fixed-point integers. So sums of their products do not depend on the order of summation, and a term can
/// be subtracted exactly.
struct PurchaseVector: Equatable, Sendable {
    /// The weight of one purchase in the newest basket, with 14 binary places.
    static let one: Int64 = 1 << 14
    /// The factor by which each new basket multiplies older weights: 0.95, in units of 1/65,536.
    private static let kept: Int64 = 62_259

    /// The products with a weight, in ascending order, and their weights.
    private(set) var products: [Int] = []
    private(set) var weights: [Int64] = []
    /// The weight of a product that was in every basket.
    private(set) var most: Int64 = 0

    /// Returns the weight of a product, by binary search; 0 for one that was never bought or has faded.
    subscript(_ product: Int) -> Int64 {
        var (low, high) = (0, products.count)
        while low < high {
            let middle = (low + high) / 2
            if products[middle] < product { low = middle + 1 } else { high = middle }
        }
        return low < products.count && products[low] == product ? weights[low] : 0
    }

    /// Adds a basket. Requires its products in ascending order without duplicates.
    mutating func take(_ basket: ArraySlice<UInt32>) {
        var merged: [Int] = []
        var faded: [Int64] = []
        merged.reserveCapacity(products.count + basket.count)
        faded.reserveCapacity(products.count + basket.count)
        var next = basket.startIndex
        for (product, weight) in zip(products, weights) {
            while next < basket.endIndex, basket[next] < product {
                merged.append(Int(basket[next]))
                faded.append(Self.one)
                next += 1
            }
            var left = (weight * Self.kept) >> 16
            if next < basket.endIndex, basket[next] == product {
                left += Self.one
                next += 1
            }
            guard left > 0 else { continue }
            merged.append(product)
            faded.append(left)
        }
        while next < basket.endIndex {
            merged.append(Int(basket[next]))
            faded.append(Self.one)
            next += 1
        }
        most = ((most * Self.kept) >> 16) + Self.one
        (products, weights) = (merged, faded)
    }
}
