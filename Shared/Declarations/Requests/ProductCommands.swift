extension CommandFamily {
    static let market = CommandFamily(
        "MarketCommandName", of: "catalog-orders",
        "The names of catalog-orders' commands: what the farm sells, and what buyers order.",
        CommandType.products + CommandType.offers + CommandType.favouriteCommands + CommandType.promotions
            + CommandType.orders)
}

// Products, offers, stock and places, which the farm changes.
extension CommandType {
    static let products = [
        CommandType("profile-farm", "Sets the directory's entry of a farm.") {
            Member("farm", .name("FarmID"), "The farm.")
            Member("title", .line.optional, "Its name; by default the one that it has.")
            Member("county", .line.optional, "The county in which buyers look for it.")
            Member("region", .line.optional, "The region or state.")
            Member("street", .line.optional, "The street and the place.")
            Member("telephone", .line(40).optional, "The telephone number.")
            Member("website", .link(200).optional, "The address of its web site.")
            Member("description", .lines(4000).optional, "What buyers should know of it.")
            Member.latitude
            Member.longitude
            Member.picture
            Member.thumbnail
            Member.alt
            Member("hasGoods", .flag, "Whether the farm sells at this market.")
        },
        CommandType("list-product", "Lists a product of a farm.") {
            Member("product", .name("ProductID"), "The name of the product, which stays.")
            Member("farm", .name("FarmID"), "The farm that sells it.")
            Member.productDetails
        },
        CommandType("change-product", "Replaces the description of a product.") {
            Member("product", .name("ProductID"), "The product.")
            Member.productDetails
        },
        CommandType("withdraw-product", "Withdraws a product from sale.") {
            Member("product", .name("ProductID"), "The product.")
            Member.optionalReason
        },
    ]

    static let offers = [
        CommandType("publish-offer", "Offers a product of one packed lot.") {
            Member("offer", .name("OfferID").optional, "The name of the offer; by default a new one.")
            Member("product", .name("ProductID"), "The product.")
            Member("lot", .name("LotID"), "The lot from which it is sold.")
            Member("price", .price, "The price of a unit.")
            Member("takes", .wholeDefaulting(to: 1, 1...1000), "The boxes that a unit takes; 1 by default.")
            Member(
                "pickups", .listOrEmpty(.name("PickupID"), atMost: 20),
                "The pick-up points at which it can be had; none: at every one.")
            Member("until", .instant.optional, "When the offer ends; by default when nothing is left.")
        },
        CommandType("reprice-offer", "Changes the price of an offer; placed orders keep theirs.") {
            Member("offer", .name("OfferID"), "The offer.")
            Member("price", .price, "The price of a unit, in the currency of the offer.")
        },
        CommandType("withdraw-offer", "Withdraws an offer.") {
            Member("offer", .name("OfferID"), "The offer.")
            Member.optionalReason
        },
        CommandType("set-stock", "Sets the number of boxes of a lot that are for sale.") {
            Member("lot", .name("LotID"), "The lot.")
            Member("boxes", .whole(0...1_000_000), "The boxes that are for sale, those that are ordered included.")
            Member.optionalReason
        },
        CommandType("adjust-stock", "Adjusts the stock of a lot for other reasons than sales.") {
            Member("lot", .name("LotID"), "The lot.")
            Member("by", .whole(-1_000_000...1_000_000), "The boxes that are added; fewer than 0 are taken away.")
            Member.reason
        },
        CommandType("open-pickup", "Opens a pickup place, or replaces its description.") {
            Member("pickup", .name("PickupID"), "The name of the place, which stays.")
            Member("title", .line, "What buyers call it.")
            Member("farm", .name("FarmID").optional, "The farm to which it belongs; by default to the market.")
            Member("address", .lines(200).optional, "Where it is.")
            Member("county", .line.optional, "Its county.")
            Member("hours", .lines(200).optional, "When it is open, in words.")
            Member("opens", .listOrEmpty(.record(.openingTime), atMost: 14), "When it is open, for programs.")
            Member.latitude
            Member.longitude
        },
        CommandType("close-pickup", "Closes a pickup place.") {
            Member("pickup", .name("PickupID"), "The place.")
            Member.optionalReason
        },
    ]

    static let favouriteCommands = [
        CommandType("set-favourite", "Adds a farm or a product to the favourites.") { Member.favourite },
        CommandType("unset-favourite", "Removes a farm or a product from the favourites.") { Member.favourite },
    ]
}

extension MemberType {
    /// A price, which may be nothing.
    fileprivate static let price = money(0...100_000_000)
}

// Members of several commands.
extension Member {
    static let reason = Member("reason", .lines(500), "The reason, in words.")
    static let optionalReason = Member("reason", .lines(500).optional, "The reason, in words.")
    static let latitude = Member("latitude", .number(-90...90).optional, "Degrees north of the equator, WGS 84.")
    static let longitude = Member("longitude", .number(-180...180).optional, "Degrees east of Greenwich, WGS 84.")
    static let picture = Member("picture", .digest.optional, "The SHA-256 of a picture that was stored before.")
    static let thumbnail = Member("thumbnail", .digest.optional, "The SHA-256 of the picture's small copy.")
    static let alt = Member("alt", .lines(500).optional, "What the picture shows, for those who do not see it.")

    fileprivate static let favourite = [
        Member("kind", .words(["farm", "product"]), "What it is."),
        Member("name", .name("String"), "The farm or the product."),
    ]

    fileprivate static let productDetails = [
        Member("title", .line, "What buyers call it."),
        Member("unit", .line(60), "What is bought at once: `box of 5 kg`."),
        Member("category", .line(40).optional, "The category in which buyers look for it."),
        Member("description", .lines(4000).optional, "What buyers should know of it."),
        Member("gtin", .gtin.optional, "The number of the article."),
        picture, thumbnail, alt,
        Member("contents", .record(.productContents).optional, "What the farm declares of its contents."),
    ]
}

extension BodyRecord {
    fileprivate static let openingTime = BodyRecord(
        "OpeningTime", isOfEvents: true, isCheckedByRules: true, "A time at which a place is open."
    ) {
        Member("weekdays", .list(.whole(1...7), 1...7), "1 for Monday to 7 for Sunday.")
        Member("from", .clock, "When it opens.")
        Member("to", .clock, "When it closes, later on the same day.")
    }

    fileprivate static let productContents = BodyRecord(
        "ProductContents", isOfEvents: true, "What a farm declares of a product's contents."
    ) {
        Member("allergens", .list(.oneOf(.allergen), 0...14), "The allergens that it contains.")
        Member("diet", .oneOf(.diet).optional, "Whether it is vegan, vegetarian or neither.")
    }
}
