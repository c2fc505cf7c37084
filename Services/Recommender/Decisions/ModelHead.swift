import Vocabulary

/// The products of the model: the listed products with the most recent sales, at most ``RecommenderLimits/products``.
///
/// The head depends only on the listed products and the sales. It does not depend on the order of listing or on an
/// earlier head, so the same log gives the same head.
struct ModelHead: Equatable, Sendable {
    /// The numbers of its products, in ascending order.
    let products: [Int]

    /// - Parameters:
    ///   - listed: the numbers of the products that are listed now.
    ///   - names: the names of the products, by number; they break ties.
    ///   - room: the maximum number of products.
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
