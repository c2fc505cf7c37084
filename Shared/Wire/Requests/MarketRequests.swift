/// The names of catalog-orders' queries.
public enum MarketQueryName: String, RequestName {
    public static let service = "catalog-orders"

    case directory
    case directoryFarm = "directory-farm"
    case counties
    case products
    case product
    case offers
    case pickups
    case quote
    case favourites
    /// For the staff: the promotions, and what came of them.
    case promotions
    /// For the staff: how many people a promotion would reach.
    case promotionReach = "promotion-reach"
    case cart
    case orders
    case order
    /// For the staff: the orders of all buyers.
    case soldOrders = "sold-orders"
    case soldOrder = "sold-order"
    case stock
    /// The quantities to pack for each pick-up point.
    case packing
    /// All data that the market stores about the caller.
    case export
}
