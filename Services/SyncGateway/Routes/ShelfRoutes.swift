import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The routes of personal suggestions.
extension Routes {
    static let shelves: [Route] = [
        .own("/v1/shelves", .shelves, for: .everyone, .recommender(.shelves)),
        .own("/v1/picks", .picks, for: .atLeast(.buyer), .recommender(.picks), giving: ["person", "day", "until"]),
        .own(
            "/v1/suggestions/{product}/why", .why, for: .atLeast(.buyer), .recommender(.why), giving: ["person"]),
        .query("/v1/picks/outcomes", .recommender(.picksOutcomes), for: .grower),
        .command(
            .post, "/v1/views", .recommender(.view), for: .buyer, gives: ["noted": .integer]),
        .removal(
            "/v1/views", .recommender(.forgetViews), for: .buyer, gives: ["person": .text]),
    ]
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
