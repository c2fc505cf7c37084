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
            .put, "/v1/directory/{farm}", .market(.profileFarm), for: .grower, gives: ["farm": .name], status: 200),
        .shared(
            "/v1/products", .products, "The products, each with its lowest price and the boxes that are available.",
            where: ["farm?": .name, "category?": .line, "q?": .line, "after?": .line], gives: .page(of: product)),
        .shared(
            "/v1/products/{product}", .product, "One product with its offers.", gives: .object(product)),
        .command(
            .post, "/v1/products", .market(.listProduct), for: .grower, gives: ["product": .name]),
        .command(
            .put, "/v1/products/{product}", .market(.changeProduct), for: .grower, gives: ["product": .name],
            status: 200),
        .command(
            .post, "/v1/products/{product}/withdrawals", .market(.withdrawProduct), for: .grower,
            gives: ["product": .name]),
        .shared(
            "/v1/offers", .offers, "The offers: product, lot, price, and the boxes that are available.",
            where: ["farm?": .name, "product?": .name, "lot?": .name, "pickup?": .name, "after?": .line],
            gives: .page(of: offer)),
        .command(
            .post, "/v1/offers", .market(.publishOffer), for: .grower, gives: ["offer": .name]),
        .command(
            .put, "/v1/offers/{offer}/price", .market(.repriceOffer), for: .grower, gives: ["offer": .name], status: 200
        ),
        .command(
            .post, "/v1/offers/{offer}/withdrawals", .market(.withdrawOffer), for: .grower, gives: ["offer": .name]),
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
            .put, "/v1/stock/{lot}", .market(.setStock), for: .grower, gives: ["lot": .name, "boxes": .integer],
            status: 200),
        .command(
            .post, "/v1/stock/{lot}/adjustments", .market(.adjustStock), for: .grower,
            gives: ["lot": .name, "boxes": .integer],
            status: 200),
        .shared(
            "/v1/pickups", .pickups, "The pickup places.",
            where: ["county?": .line, "after?": .line],
            gives: .page(of: [
                "pickup": .name, "title": .text, "address?": .text, "county?": .text, "hours?": .text,
                "opens?": .list(.object(["weekdays": .list(.integer), "from": .text, "to": .text])),
                "latitude?": .number, "longitude?": .number, "farm?": .name,
            ])),
        .command(
            .put, "/v1/pickups/{pickup}", .market(.openPickup), for: .grower, gives: ["pickup": .name]),
        .command(
            .post, "/v1/pickups/{pickup}/closings", .market(.closePickup), for: .grower, gives: ["pickup": .name]),
    ]

    static let money = APISchema.object(["minor": .integer, "currency": .form(.currency)])

    private static let contents = APISchema.object([
        "allergens": .few(.words(Allergen.allCases.map(\.rawValue)), 0...14),
        "diet?": .words(Diet.allCases.map(\.rawValue)),
    ])

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
