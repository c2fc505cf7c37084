import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The routes of personal suggestions.
extension Routes {
    static let shelves: [Route] = [
        .own(
            .get, "/v1/shelves", .shelves, for: .everyone,
            "Suggestions for whoever is signed in, each with its reason; strangers get what is popular and what is new. "
                + "Administrators may request any person's. `with` lists the products in the cart, separated by commas.",
            where: ["person?": .line, "with?": .line, "limit?": .whole(1...50)],
            gives: .json(
                200,
                .object([
                    "person?": .text, "hubPosition": .integer, "model?": model,
                    "shelves": .list(.object(["shelf": kinds, "title": .text, "items": .list(suggestion)])),
                ]))),
        .own(
            .get, "/v1/picks", .picks, for: .atLeast(.buyer),
            "The products picked for the signed-in person, for this calendar day of the farm: the first request of a day "
                + "chooses them, and they stay the same until the farm's midnight (`until`). The day is that of the time "
                + "zone of the first farm by name.",
            gives: .json(200, .object(["day": .text, "until": .time, "items": .list(suggestion)]))),
        .own(
            .get, "/v1/suggestions/{product}/why", .why, for: .atLeast(.buyer),
            "Why a product is suggested to the signed-in person: the reason, and their newest orders behind it: those of "
                + "the product `from`, which is the product itself or the one that predicts it most.",
            gives: .json(
                200,
                .object([
                    "product": .text, "title": .text, "unit?": .text, "because": reasons, "reason": .text,
                    "days?": .integer, "times?": .integer, "inOrders?": .integer, "units?": .integer, "of?": .text,
                    "last?": .time, "from?": .text, "orders": .list(.object(["order": .text, "placed": .time])),
                ]))),
        .query(
            "/v1/picks/outcomes", .recommender(.picksOutcomes), for: .grower,
            "What came of the picks of the last sixty days. The candidates of each person's picks are ranked by one of two "
                + "models, by a hash of the person: `learnt`, or `habit` for one of four. `ordering` are the people of "
                + "`people` who ordered one of a day's picks within a week, and `share` their share with an interval "
                + "of 95 %; `difference` is that of `learnt` less that of `habit`. `orderedOfCandidates` estimates "
                + "the share if all candidates were shown, from the probability with which each was drawn.",
            gives: .object([
                "models": .list(
                    .object([
                        "model": .words(["learnt", "habit"]), "people": .integer, "ordering": .integer,
                        "picks": .integer,
                        "ordered": .integer, "share?": proportion, "orderedOfCandidates?": .number,
                        "weeks": .list(
                            .object(["from": .text, "people": .integer, "ordering": .integer, "share?": proportion])),
                    ])),
                "difference?": proportion,
            ])),
        .command(
            .post, "/v1/views", .recommender(.view), for: .buyer, gives: ["noted": .integer]),
        .removal(
            "/v1/views", .recommender(.forgetViews), for: .buyer, gives: ["person": .text]),
    ]

    private static let proportion = APISchema.object(["share": .number, "low": .number, "high": .number])

    private static let kinds = APISchema.words([
        "next", "again", "together", "popular", "discover", "now", "place", "viewed",
    ])
    private static let reasons = APISchema.words([
        "rhythm", "bought", "follows", "together", "popular", "new", "favourite", "favourite-farm", "ending", "few",
        "fresh", "season", "place", "viewed",
    ])

    /// A suggestion. Its reason is a sentence in English; `because` with the values in it serves for other languages.
    private static let suggestion = APISchema.object([
        "product": .text, "title": .text, "unit?": .text, "because": reasons, "reason": .text, "days?": .integer,
        "times?": .integer, "inOrders?": .integer, "units?": .integer, "of?": .text, "last?": .time,
    ])

    /// The model that the suggestions were made with: the hub position it covers, and its digest.
    private static let model = APISchema.object(["hubPosition": .integer, "products": .integer, "digest": .text])
}

extension SyncGateway {
    /// Responds with the caller's own suggestions; an administrator may request those of any person.
    mutating func tellShelves(_ call: RequestContext) throws(Problem) -> [Effect] {
        let own = call.caller?.person.rawValue
        let asked = call.parameter("person")
        if let asked, asked != own {
            guard let caller = call.caller else { throw Problem(401, "not-signed-in", "Sign in first.") }
            guard caller.role.includes(.administrator) else {
                throw Problem(403, "not-allowed", "These suggestions are another person's.")
            }
        }
        var question = call
        question.parameters.removeAll { $0.name == "person" }
        if let person = asked ?? own { question.parameters.append(("person", person)) }
        return try query(call, .recommender(.shelves), try question.ask(), as: .json)
    }

    /// Responds with the caller's picks of this calendar day.
    mutating func tellPicks(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        guard let person = call.caller?.person else { throw Problem(401, "not-signed-in", "Sign in first.") }
        let zone = tables.zone()
        var json = JSONWriter()
        json.object { json in
            json.field("person", person)
            json.field("day", time.day(in: zone))
            json.field("until", zone.startOfNextDay(after: zone.startOfDay(of: time)))
        }
        return try query(call, .recommender(.picks), json.bytes, as: .json)
    }

    /// Responds with the reason for suggesting a product to the caller.
    mutating func tellWhy(_ call: RequestContext) throws(Problem) -> [Effect] {
        guard let person = call.caller?.person else { throw Problem(401, "not-signed-in", "Sign in first.") }
        var json = JSONWriter()
        json.object { json in
            json.field("person", person)
            json.field("product", call.parameter("product") ?? "")
        }
        return try query(call, .recommender(.why), json.bytes, as: .json)
    }
}
