import EventSourcing
import Vocabulary

/// The reason for a suggestion.
enum Reason: Equatable, Sendable {
    /// The shopper bought it `times` times, with a median of `days` days between purchases.
    case rhythm(times: Int, days: Int)
    case bought(times: Int)
    /// Predicted by a product with this title that the shopper bought.
    case follows(String)
    /// Often in one order with a product of this title.
    case together(String)
    /// In this number of recent orders.
    case popular(orders: Int)
    case new
    /// The shopper marked it as a favourite.
    case favourite
    /// The shopper marked its farm as a favourite.
    case favouriteFarm
    /// Its offer ends within this number of days.
    case ending(days: Int)
    /// Fewer units are left than were ordered lately.
    case few(units: Int)
    /// It was harvested less than this number of days ago.
    case fresh(days: Int)
    /// At this time of the year it is ordered so much more often than in the rest of it.
    case season(Seasons.Strength)
    /// In this number of recent orders at the shopper's pickup place.
    case place(orders: Int)
    /// The shopper looked at it.
    case viewed

    /// The reason in the API.
    var word: SuggestionReason {
        switch self {
        case .rhythm: .rhythm
        case .bought: .bought
        case .follows: .follows
        case .together: .together
        case .popular: .popular
        case .new: .new
        case .favourite: .favourite
        case .favouriteFarm: .favouriteFarm
        case .ending: .ending
        case .few: .few
        case .fresh: .fresh
        case .season: .season
        case .place: .place
        case .viewed: .viewed
        }
    }

    /// The reason as a sentence for shoppers.
    var sentence: String {
        switch self {
        case .rhythm(_, let days) where days <= 1: "You buy this almost every day."
        case .rhythm(_, 7): "You buy this about once a week."
        case .rhythm(_, let days) where days > 60: "You buy this every now and then."
        case .rhythm(_, let days): "You buy this about every \(days) days."
        case .bought(1): "You have bought this before."
        case .bought(2): "You have bought this twice."
        case .bought(let times): "You have bought this \(times) times."
        case .follows(let title): "People who buy \(title) often buy this, too."
        case .together(let title): "Often in the same order as \(title)."
        case .popular(1): "Somebody ordered this in the last four weeks of orders."
        case .popular(let orders): "In \(orders) orders of the last four weeks of orders."
        case .new: "New in the shop."
        case .favourite: "Among your favourites."
        case .favouriteFarm: "From a farm among your favourites."
        case .ending(1): "On offer for one more day."
        case .ending(let days): "On offer for \(days) more days."
        case .few(1): "Only one is left."
        case .few(let units): "Only \(units) are left."
        case .fresh(1): "Harvested within the last day."
        case .fresh(let days): "Harvested within the last \(days) days."
        case .season(.onlyNow): "In season: ordered only at this time of the year."
        case .season(.times(let times)):
            "In season: ordered \(times) times as often as in the rest of the year."
        case .place(let orders): "In \(orders) orders at your pick-up point in the last four weeks of orders."
        case .viewed: "You looked at this."
        }
    }

    /// Returns the reason from the times of the shopper's own purchases of a product, oldest first.
    static func own(_ times: [Instant]) -> Reason {
        guard times.count >= 3 else { return .bought(times: times.count) }
        let gaps = zip(times.dropFirst(), times).map { $0.seconds(since: $1) }.sorted()
        let days = Int((gaps[gaps.count / 2] / 86_400).rounded())
        return .rhythm(times: times.count, days: days)
    }
}
