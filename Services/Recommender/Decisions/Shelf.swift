import EventSourcing
import Vocabulary

/// A list of suggested products for one person, best first.
struct Shelf: Equatable, Sendable {
    /// The kinds of shelf.
    enum Kind: String, CaseIterable, Sendable {
        /// Products that are likely in the next basket, whether bought before or not.
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
        /// The time of the person's last purchase of it, or nil if there is none.
        var last: Instant?
    }

    let kind: Kind
    let items: [Item]
}
