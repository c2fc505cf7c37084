import EventSourcing
import Vocabulary

/// A few products for one person, best first.
struct Shelf: Equatable, Sendable {
    /// What a shelf is about.
    enum Kind: String, CaseIterable, Sendable {
        /// What the next basket is likely to hold, bought before or not.
        case next
        case again
        case together
        case popular
        case discover

        var title: String {
            switch self {
            case .next: "Your next basket"
            case .again: "Buy again"
            case .together: "Goes well with it"
            case .popular: "Popular"
            case .discover: "Discover"
            }
        }
    }

    /// One suggestion.
    struct Item: Equatable, Sendable {
        let product: ProductID
        let reason: Reason
        /// When the person bought it last.
        var last: Instant?
    }

    let kind: Kind
    let items: [Item]
}
