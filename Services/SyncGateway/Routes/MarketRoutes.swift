import Events
import Wire

/// The catalogue and the pick-up points: public to read, changed by the farm.
extension Routes {
    static let catalog: [Route] = [
        .shared("/v1/directory", .market(.directory)),
        .shared("/v1/counties", .market(.counties)),
        .shared("/v1/directory/{farm}", .market(.directoryFarm)),
        .command(
            .put, "/v1/directory/{farm}", .market(.profileFarm), for: .grower, gives: ["farm": .name], status: 200),
        .shared("/v1/products", .market(.products)),
        .shared("/v1/products/{product}", .market(.product)),
        .command(
            .post, "/v1/products", .market(.listProduct), for: .grower, gives: ["product": .name]),
        .command(
            .put, "/v1/products/{product}", .market(.changeProduct), for: .grower, gives: ["product": .name],
            status: 200),
        .command(
            .post, "/v1/products/{product}/withdrawals", .market(.withdrawProduct), for: .grower,
            gives: ["product": .name]),
        .shared("/v1/offers", .market(.offers)),
        .command(
            .post, "/v1/offers", .market(.publishOffer), for: .grower, gives: ["offer": .name]),
        .command(
            .put, "/v1/offers/{offer}/price", .market(.repriceOffer), for: .grower, gives: ["offer": .name], status: 200
        ),
        .command(
            .post, "/v1/offers/{offer}/withdrawals", .market(.withdrawOffer), for: .grower, gives: ["offer": .name]),
        .query("/v1/stock", .market(.stock)),
        .command(
            .put, "/v1/stock/{lot}", .market(.setStock), for: .grower, gives: ["lot": .name, "boxes": .integer],
            status: 200),
        .command(
            .post, "/v1/stock/{lot}/adjustments", .market(.adjustStock), for: .grower,
            gives: ["lot": .name, "boxes": .integer],
            status: 200),
        .shared("/v1/pickups", .market(.pickups)),
        .command(
            .put, "/v1/pickups/{pickup}", .market(.openPickup), for: .grower, gives: ["pickup": .name]),
        .command(
            .post, "/v1/pickups/{pickup}/closings", .market(.closePickup), for: .grower, gives: ["pickup": .name]),
    ]

    static let money = APISchema.object(["minor": .integer, "currency": .form(.currency)])
}
