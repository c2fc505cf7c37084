import EventSourcing
import Vocabulary

/// A list of suggested products for one person, best first.
struct Shelf: Equatable, Sendable {
    /// One suggestion.
    struct Item: Equatable, Sendable {
        let product: ProductID
        let reason: Reason
        /// The time of the person's last purchase of it, or nil if there is none.
        var last: Instant?
    }

    let kind: ShelfKind
    let items: [Item]
}

extension ShelfKind {
    /// The shelf's title in English.
    var title: String {
        switch self {
        case .next: "Your next basket"
        case .again: "Buy again"
        case .together: "Goes well with it"
        case .popular: "Popular"
        case .discover: "Discover"
        case .now: "At its best now"
        case .place: "Popular at your pick-up point"
        case .viewed: "You looked at these"
        }
    }
}
