/// Every bound of the recommender.
enum RecommenderLimits {
    /// Products that the model relates to each other: ``ModelHead`` says which. So many are solved in about two
    /// seconds, and their sums take 84 MB.
    static let products = 2048
    /// Products whose own sales count. Later ones are suggested as new only; status counts them.
    static let catalogue = 100_000
    /// Orders of one shopper that count: the newest. Status counts the older ones.
    static let orders = 1000
    /// Rows of one product or one person that a fold goes through.
    static let rows = 1_000_000
    /// Rows read at once when everything is read.
    static let pageRows = 1000
    /// Products on one shelf, and as many as may be asked for.
    static let shelfItems = 10
    static let shelfItemsAtMost = 50
    /// Products of a cart that are looked at, and bytes of their names.
    static let cartItems = 50
    static let cartBytes = 4000
    /// Days that count as lately.
    static let recentDays = 28
    /// Baskets that two products must have shared before one is said to go with the other.
    static let sharedBaskets: Int64 = 3
    /// Ticks (100 ms) between two solutions of the model; more where one takes longer.
    static let restTicks: UInt64 = 2
    /// How often it is told what the model is.
    static let tellSeconds = 3600.0
}
