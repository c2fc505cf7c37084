/// The names of catalog-orders' commands.
public enum MarketCommandName: String, RequestName {
    public static let service = "catalog-orders"

    case profileFarm = "profile-farm"
    case listProduct = "list-product"
    case changeProduct = "change-product"
    case withdrawProduct = "withdraw-product"
    case publishOffer = "publish-offer"
    case repriceOffer = "reprice-offer"
    case withdrawOffer = "withdraw-offer"
    case setStock = "set-stock"
    case adjustStock = "adjust-stock"
    case openPickup = "open-pickup"
    case closePickup = "close-pickup"
    case setFavourite = "set-favourite"
    case unsetFavourite = "unset-favourite"
    case publishPromotion = "publish-promotion"
    case endPromotion = "end-promotion"
    /// A buyer's device showed a promotion, or held it back.
    case showPromotion = "show-promotion"
    case holdCart = "hold-cart"
    case emptyCart = "empty-cart"
    case placeOrder = "place-order"
    case changeOrder = "change-order"
    case cancelOrder = "cancel-order"
    /// The buyer retries a failed payment.
    case payAgain = "pay-again"
    /// The staff cancels an order.
    case callOffOrder = "call-off-order"
    case collectOrder = "collect-order"
    case refundOrder = "refund-order"
    /// Past orders are imported from another shop.
    case importOrders = "import-orders"
    /// A payment provider reports a change of a payment.
    case reportPayment = "tell-payment"
}

/// The name of the command of catalog-orders that is not in its journal, because personal data never is.
public enum ContactCommandName: String, RequestName {
    public static let service = MarketCommandName.service

    /// Sets how the caller can be reached.
    case keepContact = "keep-contact"
}

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
