/// What the market can be asked to do.
enum MarketCommandName: String, CaseIterable {
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
    case holdCart = "hold-cart"
    case emptyCart = "empty-cart"
    case placeOrder = "place-order"
    case changeOrder = "change-order"
    case cancelOrder = "cancel-order"
    /// The buyer tries once more to pay.
    case payAgain = "pay-again"
    /// The staff calls an order off.
    case callOffOrder = "call-off-order"
    case collectOrder = "collect-order"
    case refundOrder = "refund-order"
    /// Orders of the past, brought along from another shop.
    case importOrders = "import-orders"
    /// What a payment's provider says.
    case tellPayment = "tell-payment"
}

/// What the market can be asked to tell.
enum MarketQueryName: String, CaseIterable {
    case directory
    case directoryFarm = "directory-farm"
    case counties
    case products
    case product
    case offers
    case pickups
    case quote
    case favourites
    case cart
    case orders
    case order
    /// For the staff: everybody's orders.
    case soldOrders = "sold-orders"
    case soldOrder = "sold-order"
    case stock
    /// What is to be packed for each pick-up point.
    case packing
    /// All that is kept of who asks.
    case export

    /// Whether it needs nothing but the tables, so that it can be answered apart from decisions. The vault has one
    /// owner, the deciding thread.
    var readsTablesAlone: Bool { ![.soldOrder, .soldOrders, .export].contains(self) }

    /// Whether its answer is the same for every caller and changes with the tables, or when an offer ends.
    var isShared: Bool {
        [.directory, .directoryFarm, .counties, .products, .product, .offers, .pickups].contains(self)
    }
}
