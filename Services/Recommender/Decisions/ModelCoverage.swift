/// The share of the shop that the suggestions cover, for operators. It counts what the limits leave out.
struct ModelCoverage: Equatable, Sendable {
    /// Products that are listed now.
    var listed = 0
    /// Listed products that are in the model.
    var inModel = 0
    /// Listed products that were bought but are not in the model. All other listed products were never bought.
    var outside = 0
    /// Products beyond ``RecommenderLimits/catalogue``, whose sales are not counted.
    var beyondCatalogue = 0
    /// Orders that are older than the newest ``RecommenderLimits/orders`` of their buyer.
    var olderOrders = 0

    /// The counts by the names that they have as metrics and in the status.
    var figures: [String: Int] {
        [
            "products_listed": listed, "products_in_model": inModel, "products_outside_model": outside,
            "products_beyond_catalogue": beyondCatalogue, "orders_beyond_limit": olderOrders,
        ]
    }

    /// A remark on products outside the model, or nil if there are none.
    var remark: String? {
        guard outside > 0 else { return nil }
        return "the model relates the \(inModel) products that sell most of \(listed) listed ones; "
            + "\(outside) that sell less are suggested by their own sales alone"
    }

    /// The reason why suggestions are incomplete, or nil if they are complete.
    var shortfall: String? {
        guard beyondCatalogue > 0 else { return nil }
        return "\(beyondCatalogue) products were listed after the first \(RecommenderLimits.catalogue); "
            + "their sales are not counted, so they are suggested as new only"
    }
}
