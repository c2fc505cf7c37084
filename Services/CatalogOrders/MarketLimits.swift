/// The limits of the market.
enum MarketLimits {
    /// Lines of one cart or order.
    static let lines = 50
    /// Units of one line.
    static let quantity = 1_000
    /// Price of one unit, in the smallest unit of its currency. The total of an order stays far below `Int64.max`.
    static let priceMinor: Int64 = 100_000_000
    /// Boxes of a lot that are for sale.
    static let boxes = 1_000_000
    /// Boxes that one unit of an offer takes.
    static let boxesTaken = 1_000
    /// Offers of one product at a time.
    static let offers = 200
    /// Pick-up points that one offer names.
    static let pickups = 20
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
    /// The radius of a promotion's area in metres, and the people after whom it may end.
    static let promotionMetres = 50...200_000
    static let promotionPeople = 1...1_000_000
    /// The minutes before closing time in which a promotion is shown.
    static let closingMinutes = 5...720
    /// The opening times of a pickup place.
    static let openingTimes = 14
    /// Seconds for which stock is reserved for a cart, and for an order that is not paid yet.
    static let cartSeconds = 600.0
    static let paySeconds = 900.0
    /// Expired carts and orders handled per tick.
    static let expiries = 50
    /// Orders in one import request, and lines of one of them.
    static let importedOrders = 200
    static let importedLines = 200
    /// Payment attempts for one order.
    static let payments = 10
    /// Refunds of one order.
    static let refunds = 20
    static let textBytes = 200
    static let reasonBytes = 500
    static let descriptionBytes = 4_000
    /// Bytes of a picture's text alternative.
    static let altBytes = 500
    /// Bytes of a buyer's address.
    static let contactBytes = 2_000
}
