extension RecordType {
    static let farmResponse = RecordType("FarmResponse", "A farm of the directory.") {
        Field("farm", .farmID, "The farm.")
        Field("zone", .text, "Its time zone: `Europe/Vienna`.")
        Field("profile", .fields(of: Family.catalog.event("farm-profiled")), "Its entry in the directory.")
    }

    static let farmWithProducts = RecordType("FarmWithProducts", "A farm of the directory with its products.") {
        Field("farm", .fields(of: .farmResponse), "The farm.")
        Field("products", .list(of: .record(.productResponse)), "Its first products; `products` lists all.")
    }

    static let countyResponse = RecordType("CountyResponse", "A county that has farms in the directory.") {
        Field("county", .text, "Its name.")
        Field("farms", .integer, "The number of its farms.")
    }

    static let productResponse = RecordType("ProductResponse", "A product as buyers see it.") {
        Field("product", .productID, "The product.")
        Field("farm", .farmID, "The farm that sells it.")
        Field("farmTitle", .text.optional, "The farm's name.")
        Field("details", .fields(of: .productDetails), "How it is described and sold.")
        Field("from", .money.optional, "The lowest price of an offer in stock, or of all offers if none is.")
        Field("left", .integer, "The number of units that can be ordered.")
    }

    static let productWithOffers = RecordType("ProductWithOffers", "A product with its offers.") {
        Field("product", .fields(of: .productResponse), "The product.")
        Field("withdrawn", .boolean, "Whether it is no longer sold.")
        Field("offers", .list(of: .record(.offerResponse)), "Its offers: those on sale first.")
    }

    static let offerResponse = RecordType("OfferResponse", "An offer as buyers see it.") {
        Field("offer", .offerID, "The offer.")
        Field("product", .productID, "The product.")
        Field("title", .text.optional, "The product's name.")
        Field("unit", .text.optional, "The unit in which it is sold.")
        Field("picture", .text.optional, "SHA-256 of the product's picture, in hex.")
        Field("thumbnail", .text.optional, "SHA-256 of the picture's small copy, in hex.")
        Field("farm", .farmID, "The farm that sells it.")
        Field("lot", .lotID, "The lot from which its boxes are taken.")
        Field("harvested", .instant.optional, "When the lot was harvested.")
        Field("price", .money, "The price of one unit.")
        Field("takes", .integer, "The number of boxes of the lot in one unit.")
        Field("pickups", .list(of: .pickupID), "The pickup places; empty: all.")
        Field("until", .instant.optional, "The end of the offer.")
        Field("left", .integer, "The number of units that can be ordered.")
        Field("closed", .enumeration(.offerClosing).optional, "Why it cannot be ordered; omitted if it can.")
        Field("reason", .text.optional, "Why its lot was recalled.")
    }

    static let pickupResponse = RecordType("PickupResponse", "A pickup place.") {
        Field("place", .fields(of: Family.catalog.event("pickup-opened")), "The place.")
        Field("farm", .farmID.optional, "The farm that runs it.")
    }

    static let favouriteResponse = RecordType("FavouriteResponse", "A favourite of a buyer.") {
        Field("kind", .enumeration(.favouriteKind), "What it is.")
        Field("name", .text, "The farm or product.")
        Field("since", .instant, "When it was added.")
    }

    static let stockResponse = RecordType("StockResponse", "The boxes of a lot.") {
        Field("lot", .lotID, "The lot.")
        Field("farm", .farmID.optional, "The farm that harvested it.")
        Field("product", .text.optional, "What was harvested.")
        Field("packed", .integer, "The boxes that were packed.")
        Field("boxes", .integer, "The boxes for sale that are not collected, reserved and ordered ones included.")
        Field("held", .integer, "The boxes that are reserved for carts.")
        Field("ordered", .integer, "The boxes that are ordered and not collected.")
        Field("collected", .integer, "The boxes that buyers collected.")
        Field("free", .integer, "The boxes that can be ordered.")
        Field("onHold", .boolean.optional, "True if the farm has to release the lot first.")
        Field("gone", .boolean.optional, "True if the lot has left the farm.")
        Field("blocked", .text.optional, "Why it cannot be sold any more.")
        Field("waiting", .boolean.optional, "True if an event of the lot waits for an operator.")
    }

    static let promotionResponse = RecordType("PromotionResponse", "A promotion, and what came of it.") {
        Field("promotion", .promotionID, "The promotion.")
        Field("farm", .farmID, "The farm whose promotion it is.")
        Field("rule", .record(.promotionRule), "What it says, to whom, where and when.")
        Field("state", .enumeration(.promotionState), "What it is doing now.")
        Field("ended", .enumeration(.promotionEndReason).optional, "Why it ended.")
        Field("shown", .integer, "How many people have seen it.")
        Field("heldBack", .integer, "How many people do not see it, for comparison.")
        Field("shownBought", .integer, "How many of those who have seen it ordered.")
        Field("heldBackBought", .integer, "How many of those who do not see it ordered.")
        Field("effect", .record(.promotionEffect).optional, "The difference of the shares; omitted if it is not known.")
    }

    static let promotionEffect = RecordType(
        "PromotionEffectResponse", "The difference of the shares that ordered, with its 95 % interval."
    ) {
        Field("difference", .number, "The difference, from -1 to 1.")
        Field("low", .number, "The lower end of the interval.")
        Field("high", .number, "The upper end of the interval.")
    }

    static let promotionReach = RecordType("PromotionReachResponse", "How many people a promotion is for.") {
        Field("people", .integer, "The number of people.")
        Field("isAtMost", .boolean, "Whether what interests them decides, too, which only their devices know.")
    }
}

extension EnumType {
    static let offerClosing = EnumType(
        "OfferClosing", "Why an offer cannot be ordered.",
        [
            Case("withdrawn", "It was withdrawn."), Case("over", "Its time is over."),
            Case("gone", "Its lot has left the farm."),
            Case("waiting", "An event of its lot waits for an operator, so the lot's state is not known."),
            Case("held", "The farm has to release its lot first."), Case("recalled", "Its lot was recalled."),
        ])

    static let favouriteKind = EnumType(
        "FavouriteKind", "What a favourite is.", [Case("farm", "A farm."), Case("product", "A product.")])

    static let promotionState = EnumType(
        "PromotionState", "What a promotion is doing.",
        [
            Case("planned", "It has not begun."), Case("running", "It is shown."),
            Case("stopped", "What it is about is not for sale: sold out, on hold or recalled."),
            Case("ended", "It ended."),
        ])
}
