/// The limits of the recommender.
enum RecommenderLimits {
    /// Products in the model, chosen by ``ModelHead``. This many are solved in about a second, and their sums take
    /// 19 MB. Twice as many raise the recall on Ta-Feng from .186 to .189, and take four times the memory.
    static let products = 1024
    /// Products whose own sales count. Later products are only suggested as new; the status counts them.
    static let catalogue = 100_000
    /// Newest orders of one shopper that count. The status counts the older ones.
    static let orders = 1000
    /// Rows of one product or one person that a projection reads.
    static let rows = 1_000_000
    /// Rows per page when a whole table is read.
    static let pageRows = 1000
    /// Products on one shelf by default, and the most that a request may set.
    static let shelfItems = 10
    /// The newest orders that an explanation of a suggestion names.
    static let whyOrders = 10
    /// The newest products of a favourite farm that are considered.
    static let productsOfFarm = 20
    /// A person's picks of a day. The page shows the first six that can be bought and suit the person's preferences.
    static let picks = 12
    /// The best products of a shelf from which the picks of a day are drawn.
    static let pickCandidates = 12
    /// Days for which the outcome of a person's picks is stored, and the seconds in which an order counts as one.
    static let outcomeDays = 60
    static let outcomeSeconds = 604_800.0
    /// Days of each model whose outcomes a query adds up, times the number of models.
    static let outcomeRows = 10_000
    /// Products of a cart in a request, and bytes of their names.
    static let cartItems = 50
    /// Weeks of the year with orders from which on seasons are known, and the baskets that show one.
    static let seasonWeeks = 45
    static let seasonBaskets: Int64 = 10
    /// Days before the end of an offer, and after a harvest, in which the shelf `now` names them.
    static let endingDays = 7
    static let freshDays = 3
    /// Seconds for which the products of that shelf are chosen, if nothing changes.
    static let timelySeconds = 60.0
    /// Units of a product that are few, if as many orders of the recent days had it.
    static let fewUnits = 10
    /// Recent orders at a pickup place that a suggestion needs: fewer would show what a neighbour buys.
    static let placeOrders: Int64 = 3
    /// Feedback of other systems in one request, and of one person in a response.
    static let feedback = 1_000
    /// The products that a person looked at last, and those of one request.
    static let viewed = 50
    /// Days that count as recent.
    static let recentDays = 28
    /// Baskets that must contain both products before one is suggested together with the other.
    static let sharedBaskets: Int64 = 3
    /// Ticks (100 ms) between two solutions of the model, or ``restFactor`` times the duration of the last one if that
    /// is longer.
    static let restTicks: UInt64 = 2
    /// The share of a processor that solving takes while orders keep coming is 1 / (1 + this).
    static let restFactor: UInt64 = 3
    /// Events in one tick that are a bulk import, and the ticks between two solutions during one.
    static let bulkEvents = 50
    static let bulkRestTicks: UInt64 = 100
    /// Seconds between two `ModelSolved` events.
    static let tellSeconds = 3600.0
}
