import Crypto
import Vocabulary

/// Chooses a person's picks of a day from the shelves of that moment: products for the next basket and products that
/// the person never bought, in turn.
///
/// Of the best of each, a hash of the person, the day and the product chooses. So the picks differ from day to day
/// although the shelves change little, and the same shelves always give the same picks.
struct Picks {
    let person: PersonID
    /// The calendar day of the farm: `2026-05-03`.
    let day: String

    /// Returns at most ``RecommenderLimits/picks`` products in the order in which they are shown.
    func choose(from shelves: [Shelf]) -> [ProductID] {
        func shelf(_ kind: Shelf.Kind) -> [ProductID]? {
            shelves.first { $0.kind == kind }?.items.map(\.product)
        }
        let known = drawn(from: shelf(.next) ?? shelf(.popular) ?? [])
        let new = drawn(from: shelf(.discover) ?? [])
        var seen: Set<ProductID> = []
        let turns = (0..<max(known.count, new.count)).flatMap { turn in
            [known, new].compactMap { turn < $0.count ? $0[turn] : nil }
        }
        return Array(turns.filter { seen.insert($0).inserted }.prefix(RecommenderLimits.picks))
    }

    private func drawn(from products: [ProductID]) -> [ProductID] {
        products.prefix(RecommenderLimits.pickCandidates)
            .map { (product: $0, lot: SHA256.hash(Array("\(person)\n\(day)\n\($0)".utf8))) }
            .sorted { $0.lot.lexicographicallyPrecedes($1.lot) }
            .map(\.product)
    }
}
