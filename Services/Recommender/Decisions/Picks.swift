import Crypto
import Events
import Vocabulary

/// Chooses a person's picks of a day from candidates of that moment: products for the next basket and products that
/// the person never bought, in turn.
///
/// Of the candidates, a hash of the person, the day and the product chooses. So the picks differ from day to day
/// although the candidates change little, and the same candidates always give the same picks.
struct Picks {
    let person: PersonID
    /// The calendar day of the farm: `2026-05-03`.
    let day: String

    /// A product that was drawn.
    struct Pick: Equatable {
        let product: ProductID
        /// The probability with which it was drawn, in thousandths: the share of its candidates that were drawn.
        let chance: Int
    }

    /// The model for a person: by a hash of the person, `habit` for one of four. Each person stays with one model.
    static func model(of person: PersonID) -> PicksModel {
        SHA256.hash(Array("picks-model\n\(person)".utf8))[0] < 64 ? .habit : .learnt
    }

    /// Returns at most ``RecommenderLimits/picks`` products in the order in which they are shown.
    ///
    /// - Parameters:
    ///   - known: the candidates for the next basket, best first.
    ///   - new: the candidates that the person never bought, best first.
    func choose(from known: [ProductID], and new: [ProductID]) -> [Pick] {
        let known = Array(known.prefix(RecommenderLimits.pickCandidates))
        let first = Set(known)
        let new = Array(new.filter { !first.contains($0) }.prefix(RecommenderLimits.pickCandidates))
        let lists = [drawn(from: known), drawn(from: new)]
        let turns = (0..<max(known.count, new.count)).flatMap { turn in
            lists.compactMap { turn < $0.count ? $0[turn] : nil }
        }
        let chosen = turns.prefix(RecommenderLimits.picks)
        let fromKnown = chosen.count { first.contains($0) }
        return chosen.map { product in
            first.contains(product)
                ? Pick(product: product, chance: 1000 * fromKnown / known.count)
                : Pick(product: product, chance: 1000 * (chosen.count - fromKnown) / new.count)
        }
    }

    private func drawn(from products: [ProductID]) -> [ProductID] {
        products
            .map { (product: $0, lot: SHA256.hash(Array("\(person)\n\(day)\n\($0)".utf8))) }
            .sorted { $0.lot.lexicographicallyPrecedes($1.lot) }
            .map(\.product)
    }
}
