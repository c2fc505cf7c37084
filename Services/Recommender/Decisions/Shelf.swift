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
        /// Products that should be bought soon: their offer or their season ends, few are left, or they are fresh.
        case now
        /// Products that are popular at the pickup place of the shopper's last order.
        case place
        /// Products that the shopper looked at and did not order since.
        case viewed

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
