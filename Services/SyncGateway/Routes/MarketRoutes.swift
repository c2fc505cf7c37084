import Events
import Wire

/// The catalogue and the pick-up points: public to read, changed by the farm.
extension Routes {
    static let catalog: [Route] = [
        .shared(
            "/v1/directory", .directory, "The farms of the directory.",
            where: ["county?": .line, "after?": .line], gives: .page(of: farm)),
        .shared("/v1/counties", .counties, "The counties that have farms, with the number of farms.", gives: counties),
        .shared(
            "/v1/directory/{farm}", .directoryFarm, "A farm with its products.", gives: .object(farm)),
        .command(
            .put, "/v1/directory/{farm}", .market(.profileFarm), for: .grower,
            "Sets the directory's entry of a farm.",
            takes: [
                "title?": .line, "county?": .line, "region?": .line, "street?": .line,
                "telephone?": .form(.line(40)), "website?": .form(.link(200)), "description?": .lines(4000),
                "latitude?": latitudes, "longitude?": longitudes, "picture?": .form(.digest),
                "thumbnail?": .form(.digest), "alt?": .lines(500),
                "hasGoods?": .flag,
            ], gives: ["farm": .name], status: 200),
        .shared(
            "/v1/products", .products, "The products, each with its lowest price and the boxes that are available.",
            where: ["farm?": .name, "category?": .line, "q?": .line, "after?": .line], gives: .page(of: product)),
        .shared(
            "/v1/products/{product}", .product, "One product with its offers.", gives: .object(product)),
        .command(
            .post, "/v1/products", .market(.listProduct), for: .grower, "Lists a product of a farm.",
            takes: [
                "product": .name, "farm": .name, "title": .line, "unit": .form(.line(60)),
                "category?": .form(.line(40)), "description?": .lines(4000), "gtin?": .form(.gtin),
                "picture?": .form(.digest), "thumbnail?": .form(.digest), "alt?": .lines(500), "contents?": contents,
            ], gives: ["product": .name]),
        .command(
            .put, "/v1/products/{product}", .market(.changeProduct), for: .grower,
            "Replaces the description of a product.",
            takes: [
                "title": .line, "unit": .form(.line(60)), "category?": .form(.line(40)),
                "description?": .lines(4000), "gtin?": .form(.gtin), "picture?": .form(.digest),
                "thumbnail?": .form(.digest),
                "alt?": .lines(500), "contents?": contents,
            ], gives: ["product": .name], status: 200),
        .command(
            .post, "/v1/products/{product}/withdrawals", .market(.withdrawProduct), for: .grower,
            "Withdraws a product from sale.", takes: ["reason?": .lines(500)], gives: ["product": .name]),
        .shared(
            "/v1/offers", .offers, "The offers: product, lot, price, and the boxes that are available.",
            where: ["farm?": .name, "product?": .name, "lot?": .name, "pickup?": .name, "after?": .line],
            gives: .page(of: offer)),
        .command(
            .post, "/v1/offers", .market(.publishOffer), for: .grower, "Offers a product of one packed lot.",
            takes: [
                "offer?": .name, "product": .name, "lot": .name, "price": price(0), "takes?": .whole(1...1000),
                "pickups?": .few(.name, 0...20), "until?": .time,
            ], gives: ["offer": .name]),
        .command(
            .put, "/v1/offers/{offer}/price", .market(.repriceOffer), for: .grower,
            "Changes the price of an offer; placed orders keep theirs.", takes: ["price": price(0)],
            gives: ["offer": .name], status: 200),
        .command(
            .post, "/v1/offers/{offer}/withdrawals", .market(.withdrawOffer), for: .grower, "Withdraws an offer.",
            takes: ["reason?": .lines(500)], gives: ["offer": .name]),
        .query(
            "/v1/stock", .market(.stock),
            "The boxes of each lot: on hand, reserved in carts, ordered, collected, available.",
            where: ["after?": .line],
            gives: .page(of: [
                "lot": .name, "farm?": .name, "product?": .text, "packed": .integer, "boxes": .integer,
                "held": .integer, "ordered": .integer, "collected": .integer, "free": .integer, "gone?": .flag,
                "onHold?": .flag,
                "blocked?": .text, "waiting?": .flag,
            ])),
        .command(
            .put, "/v1/stock/{lot}", .market(.setStock), for: .grower,
            "Sets the number of boxes of a lot that are for sale.",
            takes: ["boxes": .whole(0...1_000_000), "reason?": .lines(500)], gives: ["lot": .name, "boxes": .integer],
            status: 200),
        .command(
            .post, "/v1/stock/{lot}/adjustments", .market(.adjustStock), for: .grower,
            "Adjusts the stock of a lot for other reasons than sales.",
            takes: ["by": .whole(-1_000_000...1_000_000), "reason": .lines(500)],
            gives: ["lot": .name, "boxes": .integer], status: 200),
        .shared(
            "/v1/pickups", .pickups, "The pickup places.",
            where: ["county?": .line, "after?": .line],
            gives: .page(of: [
                "pickup": .name, "title": .text, "address?": .text, "county?": .text, "hours?": .text,
                "opens?": .list(.object(["weekdays": .list(.integer), "from": .text, "to": .text])),
                "latitude?": .number, "longitude?": .number, "farm?": .name,
            ])),
        .command(
            .put, "/v1/pickups/{pickup}", .market(.openPickup), for: .grower,
            "Opens a pickup place, or replaces its description.",
            takes: [
                "title": .line, "farm?": .name, "address?": .lines(200), "county?": .line, "hours?": .lines(200),
                "opens?": .few(
                    .object([
                        "weekdays": .few(.whole(1...7), 1...7), "from": .form(.clock), "to": .form(.clock),
                    ]), 0...14),
                "latitude?": latitudes, "longitude?": longitudes,
            ], gives: ["pickup": .name]),
        .command(
            .post, "/v1/pickups/{pickup}/closings", .market(.closePickup), for: .grower, "Closes a pickup place.",
            takes: ["reason?": .lines(500)], gives: ["pickup": .name]),
    ]

    static let money = APISchema.object(["minor": .integer, "currency": .form(.currency)])

    /// Returns the schema of a price in whole numbers of the currency's minor unit.
    static func price(_ least: Int) -> APISchema {
        .object(["minor": .whole(least...100_000_000), "currency": .form(.currency)])
    }

    private static let contents = APISchema.object([
        "allergens": .few(.words(Allergen.allCases.map(\.rawValue)), 0...14),
        "diet?": .words(Diet.allCases.map(\.rawValue)),
    ])
    private static let latitudes = APISchema.between(-90...90)
    private static let longitudes = APISchema.between(-180...180)

    private static let counties = APISchema.page(of: ["county": .text, "farms": .integer])

    private static let farm: Shape = [
        "farm": .name, "zone": .text, "title": .text, "county?": .text, "region?": .text, "street?": .text,
        "telephone?": .text, "website?": .text, "description?": .text, "latitude?": .number, "longitude?": .number,
        "picture?": .text, "thumbnail?": .text, "alt?": .text, "hasGoods": .flag, "products?": .list(.anything),
    ]

    private static let product: Shape = [
        "product": .name, "farm": .name, "farmTitle?": .text, "title": .text, "unit": .text, "category?": .text,
        "description?": .text, "gtin?": .text, "picture?": .text, "thumbnail?": .text, "alt?": .text,
        "contents?": contents, "from?": money,
        "left": .integer,
        "withdrawn?": .flag, "offers?": .list(.object(offer)),
    ]

    private static let offer: Shape = [
        "offer": .name, "product": .name, "title?": .text, "unit?": .text, "picture?": .text, "thumbnail?": .text,
        "farm": .name,
        "lot": .name, "harvested?": .time, "price": money, "takes": .integer, "pickups": .list(.name),
        "until?": .time, "left": .integer,
        "closed?": .words(["withdrawn", "over", "gone", "waiting", "held", "recalled"]),
        "reason?": .text,
    ]
}
