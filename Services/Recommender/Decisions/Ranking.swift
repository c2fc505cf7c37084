import EventSourcing
import Vocabulary

/// Ranks products for one shopper: for the next basket, or among products that the shopper never bought.
///
/// The score is the model's prediction, plus the share of recent orders with the product, plus (for the next basket)
/// the share of the shopper's own baskets with it. For a product outside the model, its repeat purchases replace the
/// prediction.
struct Ranking {
    /// The weights beside the model's prediction, which is the probability that the next basket contains a product.
    ///
    /// Chosen once for all data, by the tuning parts of three public data sets (`RecommenderTests/QualityTests`).
    fileprivate enum Weight {
        /// Of the share of recent orders with the product, for the next basket.
        static let popular: Float = 0.2
        /// The same among products that the shopper never bought.
        static let popularUnknown: Float = 1.6
        /// Of the share of the shopper's baskets with the product, with newer baskets weighing more.
        static let own: Float = 0.08
        /// Empty baskets that are added to the shopper's, so that the first few purchases are no habit.
        static let emptyBaskets: Float = 3
    }

    private let builder: ShelfBuilder
    private let history: PurchaseHistory
    private let question: Model.Question
    /// Times bought, by the product's number.
    private let bought: [Int: Int]
    /// The scores of the model's products, by rank; −∞ for a product that must not be suggested.
    private let scores: [Float]
    /// The scores of the shopper's own products outside the model, by the product's number.
    private let outside: [Int: Float]
    /// What the shopper bought, by rank.
    private let vector: [(rank: Int, weight: Float)]

    init(_ builder: ShelfBuilder, _ history: PurchaseHistory, asking question: Model.Question) {
        self.builder = builder
        self.history = history
        self.question = question
        bought = history.timesBought
        let purchases = history.vector
        vector = Self.vector(of: question, purchases, bought, in: builder.model)
        let sales = builder.shoppers.sales
        let popular = question.popularWeight / Float(max(sales.recentBaskets, 1))
        var scores = builder.model?.scores(of: vector, for: question) ?? []
        for (rank, product) in (builder.model?.numbers ?? []).enumerated() {
            scores[rank] += popular * Float(sales.recent(of: product))
        }
        var outside: [Int: Float] = [:]
        switch question {
        case .unknown: for (rank, _) in vector { scores[rank] = -.infinity }
        case .next:
            let baskets = Self.value(purchases.most) + Weight.emptyBaskets
            for product in bought.keys {
                let weight = Self.value(purchases[product])
                let own = Weight.own * weight / baskets
                if let rank = builder.model?.rank(of: product) {
                    scores[rank] += own
                } else {
                    let repeated = weight * Float(builder.shoppers.repeats.weight(of: product))
                    outside[product] = popular * Float(sales.recent(of: product)) + own + repeated
                }
            }
        }
        (self.scores, self.outside) = (scores, outside)
    }

    /// Returns what the shopper bought as the input of the model. Sums of floating-point numbers depend on their order,
    /// so it is in the order of ranks.
    private static func vector(
        of question: Model.Question, _ purchases: PurchaseVector, _ bought: [Int: Int], in model: Model?
    ) -> [(rank: Int, weight: Float)] {
        let weights: [(product: Int, weight: Float)] =
            switch question {
            case .next: zip(purchases.products, purchases.weights).map { ($0, value($1)) }
            case .unknown: bought.keys.map { ($0, 1) }
            }
        return weights.compactMap { one in model?.rank(of: one.product).map { ($0, one.weight) } }
            .sorted { $0.rank < $1.rank }
    }

    /// Returns the value of a fixed-point weight.
    private static func value(_ weight: Int64) -> Float { Float(weight) / Float(PurchaseVector.one) }

    func times(_ number: Int) -> Int { bought[number] ?? 0 }

    /// Returns the numbers of the best products of the model and of the shopper's own ones, at most `most`. Leaves out
    /// what the shopper bought if the question is for the unknown.
    func best(_ most: Int) -> [Int] {
        var best = BestProducts(most, names: builder.names)
        for (score, product) in zip(scores, builder.model?.numbers ?? []) {
            if score.isFinite, best.wouldTake(score), builder.isOffered(product) { best.offer(product, score) }
        }
        for (product, score) in outside where builder.isOffered(product) { best.offer(product, score) }
        return best.products
    }

    /// Returns the numbers of the best products that the shopper bought before, at most `most`.
    func bestKnown(_ most: Int) -> [Int] {
        var best = BestProducts(most, names: builder.names)
        for product in bought.keys where builder.isOffered(product) {
            let score = builder.model?.rank(of: product).map { scores[$0] } ?? outside[product] ?? 0
            best.offer(product, score)
        }
        return best.products
    }

    /// Returns the suggestion with its reason.
    func item(_ number: Int) -> Shelf.Item {
        let product = builder.names[number]
        guard times(number) > 0 else { return Shelf.Item(product: product, reason: foreign(number)) }
        let placed = history.filter { $0.contains(number) }.map(\.placed)
        return Shelf.Item(product: product, reason: Reason.own(placed), last: placed.last)
    }

    /// Returns the product that the shopper bought and that predicts this one most, or nil if none does.
    func predictor(of number: Int) -> ProductID? {
        guard let model = builder.model, let rank = model.rank(of: number) else { return nil }
        let parts = vector.map { (rank: $0.rank, part: $0.weight * model.weight(of: $0.rank, for: rank, question)) }
        guard let best = parts.max(by: { $0.part < $1.part }), best.part > 0 else { return nil }
        return model.products[best.rank]
    }

    /// Returns the reason for suggesting a product that the shopper never bought.
    private func foreign(_ number: Int) -> Reason {
        if let product = predictor(of: number) { return .follows(builder.title(product)) }
        let orders = Int(builder.shoppers.sales.recent(of: number))
        return orders > 0 ? .popular(orders: orders) : .new
    }
}

extension Model.Question {
    fileprivate var popularWeight: Float {
        switch self {
        case .next: Ranking.Weight.popular
        case .unknown: Ranking.Weight.popularUnknown
        }
    }
}
