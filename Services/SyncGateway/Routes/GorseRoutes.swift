import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// An operation of Gorse's API. Its raw value is the name under which it is sent to the recommender.
enum GorseCall: String, Sendable {
    case recommend, session, neighbours, popular, latest, item, items, user, users, feedback
    case recommendCategory = "recommend-category"
    case userFeedback = "user-feedback"
    case userFeedbackOfKind = "user-feedback-of-kind"
    case insertFeedback = "insert-feedback"
    case replaceFeedback = "replace-feedback"
    case deleteFeedback = "delete-feedback"
    case insertItem = "insert-item"
    case insertItems = "insert-items"
    case updateItem = "update-item"
    case deleteItem = "delete-item"
    case insertUser = "insert-user"
    case insertUsers = "insert-users"
    case updateUser = "update-user"
    case deleteUser = "delete-user"
}

/// The routes of Gorse's API (https://gorse.io), so that programs written for it use the suggestions unchanged.
///
/// `X-API-Key` is the token of an administrator's session.
extension Routes {
    static let gorse: [Route] = [
        read("/api/recommend/{user}", .recommend, paged, scores, "Products for a person, best first."),
        read(
            "/api/recommend/{user}/{category}", .recommendCategory, paged, scores,
            "Products of one category for a person."),
        write(
            .post, "/api/session/recommend", .session, "Products that go with those of a session without an account.",
            where: ["n?": .whole(1...100)], gives: scores),
        read("/api/item/{item}/neighbors", .neighbours, paged, scores, "Products that are ordered with this one."),
        read("/api/popular", .popular, paged, scores, "Products in most recent orders."),
        read("/api/latest", .latest, paged, scores, "Products that were listed last."),
        read("/api/item/{item}", .item, [:], item, "A product."),
        read("/api/items", .items, listed, .object(["Cursor": .text, "Items": .list(item)]), "The products."),
        write(.post, "/api/item", .insertItem, unchanged),
        write(.post, "/api/items", .insertItems, unchanged),
        write(.patch, "/api/item/{item}", .updateItem, unchanged),
        write(.delete, "/api/item/{item}", .deleteItem, unchanged),
        read("/api/user/{user}", .user, [:], user, "A person with orders."),
        read(
            "/api/users", .users, listed, .object(["Cursor": .text, "Users": .list(user)]), "The people with orders."),
        write(.post, "/api/user", .insertUser, unchanged),
        write(.post, "/api/users", .insertUsers, unchanged),
        write(.patch, "/api/user/{user}", .updateUser, unchanged),
        write(.delete, "/api/user/{user}", .deleteUser, "Deletes all feedback of a person, and none of their orders."),
        read(
            "/api/feedback", .feedback, listed, .object(["Cursor": .text, "Feedback": .list(feedback)]),
            "All feedback that other systems reported."),
        read(
            "/api/user/{user}/feedback/{type}", .userFeedbackOfKind, [:], .list(feedback),
            "A person's feedback of one kind."),
        read("/api/user/{user}/feedback", .userFeedback, [:], .list(feedback), "A person's feedback."),
        write(
            .post, "/api/feedback", .insertFeedback,
            "Reports what people did with products: `read`, `view`, `click`, `visit` and `impression` count as looked at, "
                + "any other kind as an order at that time. Products that the shop does not have are ignored. `UserId` is "
                + "a pseudonym: the log is permanent."),
        write(.put, "/api/feedback", .replaceFeedback, "As with `POST`: the newest feedback of a kind replaces older."),
        write(.delete, "/api/feedback/{user}/{item}", .deleteFeedback, "Deletes a person's feedback about a product."),
    ]

    private static let unchanged =
        "Changes nothing, as products and people are managed in the shop: `RowAffected` is 0."
    private static let paged: Shape = ["n?": .whole(1...100), "offset?": .whole(0...1_000)]
    private static let listed: Shape = ["n?": .whole(1...1_000), "cursor?": .text, "q?": .text]
    private static let scores = APISchema.list(.anything)
    private static let item = APISchema.object([
        "ItemId": .text, "IsHidden": .flag, "Categories": .list(.text), "Timestamp": .time, "Labels": .list(.text),
        "Comment": .text,
    ])
    private static let user = APISchema.object(["UserId": .text, "Labels": .list(.text), "Comment": .text])
    private static let feedback = APISchema.object([
        "FeedbackType": .text, "UserId": .text, "ItemId": .text, "Value": .number, "Timestamp": .time, "Comment": .text,
    ])

    private static func read(
        _ path: PathTemplate, _ call: GorseCall, _ parameters: Shape, _ gives: APISchema, _ summary: String
    ) -> Route {
        .own(
            .get, path, .gorse(call), for: .atLeast(.administrator), summary, where: parameters,
            gives: .json(200, gives))
    }

    private static func write(
        _ method: Route.Method, _ path: PathTemplate, _ call: GorseCall, _ summary: String,
        where parameters: Shape = [:],
        gives: APISchema = .object(["RowAffected": .integer])
    ) -> Route {
        .own(
            method, path, .gorse(call), for: .atLeast(.administrator), summary, where: parameters,
            takes: method == .delete ? .nothing : .deviceJSON, gives: .json(200, gives))
    }
}

extension SyncGateway {
    /// Forwards a call of Gorse's API to the recommender, with its parameters and body.
    ///
    /// It takes a token in a header and no cookie, because it takes bodies of any media type: a page of another site
    /// could send those.
    mutating func gorse(_ call: RequestContext, _ what: GorseCall) throws(Problem) -> [Effect] {
        let headers = call.web.request.headers
        guard headers["X-API-Key"] != nil || headers["Authorization"] != nil else {
            throw Problem(401, "not-signed-in", "Send the token of an administrator's session as X-API-Key.")
        }
        var json = JSONWriter()
        for name in call.route.path.parameters {
            if let value = call.parameter(name) { try Routes.part(name).check(value, name) }
        }
        let body = call.web.request.body
        guard !body.isEmpty || !call.route.hasBody else {
            throw Problem(422, "malformed", "Send the JSON of Gorse's API.")
        }
        do throws(JSONError) {
            let sent = body.isEmpty ? nil : try JSONValue.parse(body)
            json.object { json in
                json.field("call", what.rawValue)
                for (name, value) in call.parameters {
                    if let number = ["n", "offset"].contains(name) ? Int64(value) : nil {
                        json.field(name, number)
                    } else {
                        json.field(name, value)
                    }
                }
                if headers["X-API-Version"] == "2" { json.field("scores", true) }
                if sent != nil { json.field("body", raw: body) }
            }
        } catch {
            throw Problem(422, "malformed", "The body is no JSON: \(error).")
        }
        return try query(call, .recommender(.gorse), json.bytes, as: .json)
    }
}
