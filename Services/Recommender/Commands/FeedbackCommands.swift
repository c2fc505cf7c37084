import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The changes of Gorse's API: feedback is learnt from. Products and people are managed in the shop, so what another
/// system writes about them changes nothing, and the response says so (`RowAffected` 0).
struct FeedbackCommands {
    let context: SuggestionContext
    let request: Request

    /// The kinds of feedback of people who only look; all others count as orders.
    private static let views: Set<String> = ["read", "view", "click", "visit", "impression"]

    /// Feedback in the body of a request.
    private struct Reported: JSONReadable {
        let kind: String
        let user: String
        let item: String
        let time: String?

        init(json: borrowing JSONValue) throws(JSONError) {
            kind = try json.get("FeedbackType")
            user = try json.get("UserId")
            item = try json.get("ItemId")
            time = try json.find("Timestamp")
        }
    }

    /// Stores feedback; that about products which the shop does not have is ignored and not counted.
    func receive(_ body: RequestBody) throws(Problem) -> Effect {
        let reported: [Reported] = try body.get("body")
        guard reported.count <= RecommenderLimits.feedback else {
            throw Problem(422, "too-many", "Send \(RecommenderLimits.feedback) at most at once.")
        }
        var feedback: [Feedback] = []
        for one in reported {
            guard RequestBody.isName(one.user), RequestBody.isName(one.kind) else {
                throw Problem(
                    422, "malformed",
                    "UserId and FeedbackType: use 1 to 40 letters, digits, hyphens or underscores. A name or an e-mail "
                        + "address is not accepted, because the log is permanent.")
            }
            guard let time = time(one.time), time <= context.now.advanced(bySeconds: 86_400) else {
                throw Problem(422, "malformed", "Timestamp: expected a past time such as 2026-05-03T12:00:00Z.")
            }
            let product = ProductID(one.item)
            guard context.memory.shop.products[product]?.isListed == true else { continue }
            feedback.append(
                Feedback(
                    kind: one.kind, person: PersonID(one.user), product: product, at: time,
                    isView: Self.views.contains(one.kind.lowercased())))
        }
        let event = FeedbackReceived(feedback: feedback)
        let drafts = feedback.isEmpty ? [] : [Draft(event, in: "feedback", by: request.actor)]
        return .settle(request, drafts, Self.affected(feedback.count))
    }

    /// Deletes a person's feedback about a product, or all of it.
    func delete(_ person: PersonID, _ product: ProductID?) -> Effect {
        let rows = context.tables.find(
            FeedbackRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
        let count = rows.count { row in product.map { $0 == row.product } ?? true }
        guard count > 0 else { return .settle(request, [], Self.affected(0)) }
        let event = FeedbackDeleted(person: person, product: product)
        return .settle(request, [Draft(event, in: "feedback", by: request.actor)], Self.affected(count))
    }

    /// Responds to a change of products or people.
    func ignore() -> Effect { .settle(request, [], Self.affected(0)) }

    private static func affected(_ count: Int) -> Response { .made { $0.field("RowAffected", count) } }

    /// Returns the time of feedback: with or without a zone, or a date; now if it is empty.
    private func time(_ text: String?) -> Instant? {
        guard let text, !text.isEmpty else { return context.now }
        return Instant(text) ?? Instant("\(text)Z") ?? Instant("\(text)T00:00:00Z")
    }
}
