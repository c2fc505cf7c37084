import Vocabulary

/// Which products the model relates to each other: of those that are listed now and were ever bought, at most
/// ``RecommenderLimits/products``, those that sold most lately.
///
/// A function of what is listed and what was sold, and of nothing else, such as the order of listing or the products
/// that were in the head before. So the same log gives the same head.
struct ModelHead: Equatable, Sendable {
    /// The numbers of its products, in ascending order.
    let products: [Int]

    /// - Parameters:
    ///   - listed: the numbers of the products that are listed now.
    ///   - names: of the products, by number; they decide between equals.
    init(of listed: [Int], sales: Sales, names: [ProductID], room: Int = RecommenderLimits.products) {
        let sold = listed.filter { sales.total(of: $0) > 0 }
        guard sold.count > room else {
            products = sold.sorted()
            return
        }
        let ranked = sold.sorted { a, b in
            let (mine, other) = ((sales.recent[a], sales.total[a]), (sales.recent[b], sales.total[b]))
            return mine == other ? names[a] < names[b] : mine > other
        }
        products = ranked.prefix(room).sorted()
    }
}
