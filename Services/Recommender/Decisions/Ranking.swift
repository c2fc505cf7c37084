import EventSourcing
import Vocabulary

/// Ranks products for one shopper: for the next basket, or among products that the shopper never bought.
///
/// The score is the model's prediction plus a share of the recent sales. For a product outside the model, its repeat
/// purchases replace the prediction.
struct Ranking {
    private let builder: ShelfBuilder
    private let shopper: Shoppers.Shopper
    private let question: Model.Question
    /// The score that each recent basket with a product adds.
    private let recentWeight: Double
    /// Times bought, by the product's number.
    private let bought: [Int: Int]
    /// The model's scores, by rank.
    private let scores: [Double]
    private let vector: [(rank: Int, weight: Double)]
    /// The scores of products outside the model from the shopper's repeat purchases, by the product's number.
    private let repeated: [Int: Double]

    init(_ builder: ShelfBuilder, _ shopper: Shoppers.Shopper, asking question: Model.Question) {
        self.builder = builder
        self.shopper = shopper
        self.question = question
        recentWeight = ShelfBuilder.recentWeight(for: question) / Double(max(builder.shoppers.sales.recentSum, 1))
        var bought: [Int: Int] = [:]
        for basket in shopper.baskets {
            for product in basket.products { bought[product, default: 0] += 1 }
        }
        self.bought = bought
        let weights =
            switch question {
            case .next:
                zip(shopper.vector.products, shopper.vector.weights).map {
                    ($0, Double($1) / Double(PurchaseVector.one))
                }
            case .unknown: shopper.known.map { ($0, 1.0) }
            }
        var vector: [(rank: Int, weight: Double)] = []
        var repeated: [Int: Double] = [:]
        for (number, weight) in weights {
            if let rank = builder.model?.rank(of: builder.names[number]) {
                vector.append((rank, weight))
            } else if question == .next {
                repeated[number] = weight * builder.shoppers.repeats.weight(of: number)
            }
        }
        self.vector = vector
        self.repeated = repeated
        scores = builder.model?.scores(of: vector, for: question) ?? []
    }

    func times(_ number: Int) -> Int { bought[number] ?? 0 }

    /// Returns the candidates with the best first. Ties are in byte order of their names.
    func ranked(_ candidates: [ShelfBuilder.Candidate]) -> [ShelfBuilder.Candidate] {
        candidates.map { ($0, score($0)) }.sorted { ($1.1, $0.0.product) < ($0.1, $1.0.product) }.map(\.0)
    }

    private func score(_ candidate: ShelfBuilder.Candidate) -> Double {
        let rank = builder.model?.rank(of: candidate.product)
        return (rank.map { scores[$0] } ?? repeated[candidate.number] ?? 0)
            + recentWeight * Double(builder.recent(candidate))
    }

    /// Returns the suggestion with its reason.
    func item(_ candidate: ShelfBuilder.Candidate) -> Shelf.Item {
        if let own = Reason.own(candidate.number, in: shopper.baskets) {
            let last = shopper.baskets.last { $0.products.contains(candidate.number) }?.placed
            return Shelf.Item(product: candidate.product, reason: own, last: last)
        }
        return Shelf.Item(product: candidate.product, reason: foreign(candidate))
    }

    /// Returns the reason for suggesting a product that the shopper never bought.
    private func foreign(_ candidate: ShelfBuilder.Candidate) -> Reason {
        if let model = builder.model, let rank = model.rank(of: candidate.product) {
            let parts = vector.sorted { $0.rank < $1.rank }
                .map { (rank: $0.rank, part: $0.weight * model.weight(of: $0.rank, for: rank, question)) }
            if let best = parts.max(by: { $0.part < $1.part }), best.part > 0 {
                return .follows(builder.title(model.products[best.rank]))
            }
        }
        let orders = Int(builder.recent(candidate))
        return orders > 0 ? .popular(orders: orders) : .new
    }
}
