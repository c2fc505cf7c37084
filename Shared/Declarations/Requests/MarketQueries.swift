extension QueryFamily {
    public static let market = QueryFamily(
        "MarketQueryName", of: "catalog-orders", "The names of catalog-orders' queries.",
        [
            QueryType("directory", "The farms of the directory.", gives: .page(of: .farmResponse)) {
                Member("county", .line.optional, "Only the farms of this county.")
                Member.after
            },
            QueryType("directory-farm", "A farm with its products.", gives: .record(.farmWithProducts)) {
                Member("farm", .name("FarmID"), "The farm.")
            },
            QueryType(
                "counties", "The counties that have farms, with the number of farms.", gives: .page(of: .countyResponse)
            ),
            QueryType(
                "products", "The products, each with its lowest price and the boxes that are available.",
                gives: .page(of: .productResponse)
            ) {
                Member("farm", .name("FarmID").optional, "Only the products of this farm.")
                Member("category", .line.optional, "Only the products of this category, in any case.")
                Member("q", .line.optional, "Only the products whose title contains this, in any case.")
                Member.after
            },
            QueryType("product", "One product with its offers.", gives: .record(.productWithOffers)) {
                Member("product", .name("ProductID"), "The product.")
            },
            QueryType(
                "offers", "The offers: product, lot, price, and the boxes that are available.",
                gives: .page(of: .offerResponse)
            ) {
                Member("farm", .name("FarmID").optional, "Only the offers of this farm.")
                Member("product", .name("ProductID").optional, "Only the offers of this product.")
                Member("lot", .name("LotID").optional, "Only the offers of this lot.")
                Member("pickup", .name("PickupID").optional, "Only what is handed out at this pickup place.")
                Member.after
            },
            QueryType("pickups", "The pickup places.", gives: .page(of: .pickupResponse)) {
                Member("county", .line.optional, "Only the places of this county.")
                Member.after
            },
            QueryType(
                "quote", "The price of `offer:quantity,offer:quantity`; reserves nothing.",
                gives: .record(.quoteResponse)
            ) {
                Member("lines", .offerLines, "The offers, each with the number of units.")
                Member(
                    "pickup", .name("PickupID").optional,
                    "The pickup place; refuses offers that are not handed out there.")
            },
            QueryType("favourites", "The buyer's favourites.", gives: .page(of: .favouriteResponse)),
            QueryType(
                "promotions",
                """
                The promotions, the newest first, and how many people saw them and ordered. `effect` is the difference of
                the shares that ordered, with a 95 % interval, if some people were held back.
                """, gives: .page(of: .promotionResponse)),
            QueryType(
                "promotion-reach",
                """
                How many people who use the shop a promotion is for, wherever they are. Only devices know what interests
                them: `isAtMost` is true if that decides, too.
                """, gives: .record(.promotionReach)
            ) {
                Member("audience", .oneOf(.promotionAudience).optional, "To whom it is shown; omitted: `everyone`.")
                Member("product", .name("ProductID").optional, "The product that it is about.")
            },
            QueryType("cart", "The buyer's reservation, and when it ends.", gives: .record(.cartResponse)),
            QueryType("orders", "The buyer's orders, the newest first.", gives: .page(of: .orderRecord)) {
                Member.after
            },
            QueryType("order", "One order of the buyer.", gives: .record(.orderRecord)) {
                Member("order", .name("OrderID"), "The order.")
            },
            QueryType("sold-orders", "The orders of all buyers.", gives: .page(of: .soldOrder)) {
                Member("pickup", .name("PickupID").optional, "Only the orders of this pickup place.")
                Member("state", .oneOf(.orderState).optional, "Only the orders in this state.")
                Member("lot", .name("LotID").optional, "Only the orders with boxes of this lot.")
                Member.after
            },
            QueryType("sold-order", "One order, with how to reach its buyer.", gives: .record(.soldOrder)) {
                Member("order", .name("OrderID"), "The order.")
            },
            QueryType(
                "packing", "The goods to pack for each pickup place, for all its open orders.",
                gives: .page(of: .packingResponse)
            ) {
                Member("pickup", .name("PickupID").optional, "Only this pickup place.")
            },
            QueryType(
                "stock", "The boxes of each lot: on hand, reserved in carts, ordered, collected, available.",
                gives: .page(of: .stockResponse)
            ) { Member.after },
            QueryType(
                "export", "All data that the market stores about the caller; for the gateway.",
                gives: .record(.marketExport)),
        ])
}
