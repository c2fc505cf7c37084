/// How much of the shop the suggestions cover, for operators: what a bound leaves out is counted here.
struct ModelCoverage: Equatable, Sendable {
    /// Products that are listed now.
    var listed = 0
    /// Of those, the ones that the model relates to each other.
    var inModel = 0
    /// Of those, the ones that were bought and have no room in the model. The rest was never bought.
    var outside = 0
    /// Products whose sales are not counted.
    var beyondCatalogue = 0
    /// Orders that are older than the newest ``RecommenderLimits/orders`` of their buyer.
    var olderOrders = 0

    /// As metrics and in the status.
    var figures: [String: Int] {
        [
            "products_listed": listed, "products_in_model": inModel, "products_outside_model": outside,
            "products_beyond_catalogue": beyondCatalogue, "orders_beyond_limit": olderOrders,
        ]
    }

    /// Nil while the model has room for everything.
    var remark: String? {
        guard outside > 0 else { return nil }
        return "the model relates the \(inModel) products that sell most of \(listed) listed ones; "
            + "\(outside) that sell less are suggested by their own sales alone"
    }

    /// Why suggestions are incomplete; nil if they are not.
    var shortfall: String? {
        guard beyondCatalogue > 0 else { return nil }
        return "\(beyondCatalogue) products were listed after the first \(RecommenderLimits.catalogue); "
            + "their sales are not counted, so they are suggested as new only"
    }
}
