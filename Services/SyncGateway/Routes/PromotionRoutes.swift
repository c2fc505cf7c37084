import Events
import Wire

/// The routes of promotions. Devices receive their rules with `/v1/sync`, and decide themselves.
extension Routes {
    static let promotions: [Route] = [
        .query(
            "/v1/promotions", .market(.promotions),
            "The promotions, the newest first, and how many people saw them and ordered. `effect` is the difference of "
                + "the shares that ordered, with a 95 % interval, if some people were held back.",
            gives: .page(of: promotion)),
        .query(
            "/v1/promotions/reach", .market(.promotionReach),
            "How many people who use the shop a promotion is for, wherever they are. Only devices know what interests "
                + "them: `isAtMost` is true if that decides, too.",
            where: ["audience?": audiences, "product?": .name],
            gives: .object(["people": .integer, "isAtMost": .flag])),
        .command(
            .put, "/v1/promotions/{promotion}", .market(.publishPromotion), for: .grower, gives: ["promotion": .name],
            status: 200),
        .command(
            .post, "/v1/promotions/{promotion}/endings", .market(.endPromotion), for: .grower,
            gives: ["promotion": .name]),
        .command(
            .post, "/v1/promotions/{promotion}/showings", .market(.showPromotion), for: .buyer, gives: [:], status: 200),
    ]

    private static let audiences = APISchema.words(PromotionAudience.allCases.map(\.rawValue))

    private static let rule: Shape = [
        "title": .form(.line(80)), "text?": .lines(500), "product?": .name, "category?": .form(.line(40)),
        "lot?": .name,
        "area?": .object([
            "latitude": .between(-90...90), "longitude": .between(-180...180), "metres": .whole(50...200_000),
        ]),
        "county?": .form(.line(60)), "from": .time, "until": .time, "people?": .whole(1...1_000_000),
        "beforeClosing?": .object(["pickup": .name, "minutes": .whole(5...720)]), "beacons?": .form(.line(120)),
        "node?": .form(.line(120)),
    ]

    private static let published: Shape = rule.with([
        "audience": audiences, "timesPerDay": .integer, "heldBackPercent": .integer, "priority": .integer,
        "notifies?": .flag,
        "hours?": .object(["weekdays": .list(.integer), "from?": .text, "to?": .text, "zone": .line]),
    ])

    private static let promotion: Shape = [
        "promotion": .name, "farm": .name, "rule": .object(published),
        "state": .words(["planned", "running", "stopped", "ended"]),
        "ended?": .words(PromotionEndReason.allCases.map(\.rawValue)), "shown": .integer, "heldBack": .integer,
        "shownBought": .integer, "heldBackBought": .integer,
        "effect?": .object(["difference": .number, "low": .number, "high": .number]),
    ]
}
