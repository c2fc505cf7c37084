/// The limits of the market, beside those of members of bodies, which are declared with them.
enum MarketLimits {
    /// Lines of one cart or order.
    static let lines = 50
    /// Units of one line.
    static let quantity = 1_000
    /// Boxes of a lot that are for sale.
    static let boxes = 1_000_000
    /// Offers of one product at a time.
    static let offers = 200
    /// Items of one page of a list.
    static let pageItems = 100
    /// Seconds until a failed erasure in the vault is retried.
    static let secondsOfPatience = 10.0
    /// Rows scanned for one page.
    static let pageRows = 20_000
    /// Favourites of one person.
    static let favourites = 200
    /// Promotions at a time, and the days that one may last.
    static let promotions = 50
    static let promotionDays = 92.0
    /// Seconds for which stock is reserved for a cart, and for an order that is not paid yet.
    static let cartSeconds = 600.0
    static let paySeconds = 900.0
    /// Expired carts and orders handled per tick.
    static let expiries = 50
    /// Payment attempts for one order.
    static let payments = 10
    /// Refunds of one order.
    static let refunds = 20
}
