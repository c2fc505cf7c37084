import Events
import Wire

/// The routes of promotions. Devices receive their rules with `/v1/sync`, and decide themselves.
extension Routes {
    static let promotions: [Route] = [
        .query("/v1/promotions", .market(.promotions)),
        .query("/v1/promotions/reach", .market(.promotionReach)),
        .command(
            .put, "/v1/promotions/{promotion}", .market(.publishPromotion), for: .grower, gives: ["promotion": .name],
            status: 200),
        .command(
            .post, "/v1/promotions/{promotion}/endings", .market(.endPromotion), for: .grower,
            gives: ["promotion": .name]),
        .command(
            .post, "/v1/promotions/{promotion}/showings", .market(.showPromotion), for: .buyer, gives: [:], status: 200),
    ]
}
