import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// The queries of Gorse's API (https://gorse.io), in its notation: items are the shop's products, users the people of
/// its orders.
struct GorseQueries {
    let context: SuggestionContext
    private let body: RequestBody
    /// Items to return, and to leave out before them.
    private let (count, offset): (Int, Int)

    init(_ context: SuggestionContext, _ body: RequestBody) throws(Problem) {
        self.context = context
        self.body = body
        count = try body.find("n", as: Int.self) ?? RecommenderLimits.shelfItems
        offset = try body.find("offset", as: Int.self) ?? 0
    }

    // MARK: Suggestions

    /// The products for a person: those for the next basket, then popular ones, then others.
    func recommend() throws(Problem) -> Response {
        let person: PersonID = try body.get("user")
        let category = try body.optionalText("category")
        return list(shelves(for: person, cart: [], in: category, [.next, .popular, .discover]))
    }

    /// The products that go with those of an anonymous session's feedback, then popular ones.
    func session() throws(Problem) -> Response {
        let feedback: [JSONAny] = try body.get("body")
        let products = feedback.compactMap { one in
            if case .string(let item)? = one["ItemId"] { ProductID(item) } else { nil }
        }
        return list(shelves(for: nil, cart: numbers(products), in: nil, [.together, .popular]), isScored: true)
    }

    func neighbours() throws(Problem) -> Response {
        let product: ProductID = try body.get("item")
        return list(shelves(for: nil, cart: numbers([product]), in: nil, [.together]), isScored: true)
    }

    func popular() -> Response { list(shelves(for: nil, cart: [], in: nil, [.popular]), isScored: true) }

    func latest() -> Response {
        let builder = context.builder(for: nil, most: count)
        let shop = context.memory.shop
        return list(
            shop.newest.lazy.filter(builder.isOffered).prefix(count + offset).map { shop.names[$0] }, isScored: true)
    }

    private func numbers(_ products: [ProductID]) -> [Int] {
        Set(products.prefix(RecommenderLimits.cartItems).compactMap { context.memory.shop.products[$0]?.number })
            .sorted()
    }

    private func shelves(
        for person: PersonID?, cart: [Int], in category: String?, _ kinds: [ShelfKind]
    ) -> [ProductID] {
        let builder = context.builder(for: person, most: count + offset, without: Set(cart), in: category)
        let shelves = builder.shelves(for: person, cart: cart)
        var seen: Set<ProductID> = []
        return kinds.flatMap { kind in shelves.filter { $0.kind == kind }.flatMap(\.items) }.map(\.product)
            .filter { seen.insert($0).inserted }
    }

    /// Writes the products, best first. The score says their order and nothing else.
    private func list(_ products: [ProductID], isScored: Bool = false) -> Response {
        var json = JSONWriter()
        let hasScores = isScored || body.has("scores")
        json.array { json in
            for (rank, product) in products.enumerated().dropFirst(offset).prefix(count) {
                guard hasScores else {
                    json.element(product)
                    continue
                }
                json.object { json in
                    json.field("Id", product)
                    json.field("Score", 1 / Double(rank + 1))
                }
            }
        }
        return Response(status: 200, body: json.bytes)
    }

    // MARK: Items, users and feedback

    func item() throws(Problem) -> Response {
        let product: ProductID = try body.get("item")
        guard let row = context.memory.shop.products[product], row.title != nil else {
            throw Problem(404, "unknown-product", "There is no product \(product).")
        }
        return .made { write(row, &$0) }
    }

    func items() throws(Problem) -> Response {
        let search = try body.optionalText("q")?.lowercased()
        let rows = context.tables.scan(
            RecommenderProductRow.self, prefix: "", after: try body.optionalText("cursor"),
            limit: search == nil ? count : RecommenderLimits.rows)
        let found = rows.filter { row in
            guard let title = row.title else { return false }
            return search.map { title.lowercased().contains($0) } ?? true
        }.prefix(count)
        let cursor = search == nil && rows.count == count ? rows.last?.key ?? "" : ""
        return .made { json in
            json.field("Cursor", cursor)
            json.field("Items", array: { json in for row in found { json.object { write(row, &$0) } } })
        }
    }

    private func write(_ row: RecommenderProductRow, _ json: inout JSONWriter) {
        json.field("ItemId", row.product)
        json.field("IsHidden", row.isWithdrawn)
        json.field("Categories", row.category.map { [$0] } ?? [])
        json.field("Timestamp", row.listed ?? .earliest)
        json.field("Labels", [String]())
        json.field("Comment", row.title ?? "")
    }

    func user() throws(Problem) -> Response {
        let person: PersonID = try body.get("user")
        guard context.memory.shoppers[person] != nil else {
            throw Problem(404, "unknown-person", "There are no orders of \(person).")
        }
        return .made { Self.write(person, &$0) }
    }

    func users() throws(Problem) -> Response {
        let people = context.memory.shoppers.people(after: try body.optionalText("cursor").map { PersonID($0) }, count)
        return .made { json in
            json.field("Cursor", people.count == count ? people.last?.rawValue ?? "" : "")
            json.field("Users", array: { json in for one in people { json.object { Self.write(one, &$0) } } })
        }
    }

    private static func write(_ person: PersonID, _ json: inout JSONWriter) {
        json.field("UserId", person)
        json.field("Labels", [String]())
        json.field("Comment", "")
    }

    /// All feedback that other systems reported, by person and product.
    func feedback() throws(Problem) -> Response {
        let rows = context.tables.scan(
            FeedbackRow.self, prefix: "", after: try body.optionalText("cursor"), limit: count)
        return .made { json in
            json.field("Cursor", rows.count == count ? rows.last?.key ?? "" : "")
            json.field("Feedback", array: { json in for row in rows { json.object { Self.write(row, &$0) } } })
        }
    }

    /// A person's feedback of one kind, or of all.
    func feedbackOfUser() throws(Problem) -> Response {
        let person: PersonID = try body.get("user")
        let kind = try body.optionalText("type")
        let rows = context.tables.find(
            FeedbackRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.feedback)
        var json = JSONWriter()
        json.array { json in
            for row in rows where kind.map({ $0 == row.kind }) ?? true { json.object { Self.write(row, &$0) } }
        }
        return Response(status: 200, body: json.bytes)
    }

    private static func write(_ row: FeedbackRow, _ json: inout JSONWriter) {
        json.field("FeedbackType", row.kind)
        json.field("UserId", row.person)
        json.field("ItemId", row.product)
        json.field("Value", 1)
        json.field("Timestamp", row.at)
        json.field("Comment", "")
    }
}

extension GorseQueries {
    /// Responds to a call of the gateway, whose body names it in `call`.
    ///
    /// A body that is no feedback is refused with 422, because the description of the API says nothing about it.
    static func answer(_ request: Request, _ body: RequestBody, _ context: SuggestionContext) throws(Problem)
        -> Effect
    {
        do throws(Problem) {
            return try effect(of: request, body, context)
        } catch {
            throw error.status == 400 ? Problem(422, error.code, error.detail) : error
        }
    }

    private static func effect(of request: Request, _ body: RequestBody, _ context: SuggestionContext)
        throws(Problem) -> Effect
    {
        let queries = try GorseQueries(context, body)
        let commands = FeedbackCommands(context: context, request: request)
        let call: String = try body.get("call")
        switch call {
        case "insert-feedback", "replace-feedback": return try commands.receive(body)
        case "delete-feedback": return commands.delete(try body.get("user"), try body.get("item"))
        case "delete-user": return commands.delete(try body.get("user"), nil)
        case "insert-item", "insert-items", "update-item", "delete-item", "insert-user", "insert-users", "update-user":
            return commands.ignore()
        case "recommend", "recommend-category": return .reply(request, try queries.recommend())
        case "session": return .reply(request, try queries.session())
        case "neighbours": return .reply(request, try queries.neighbours())
        case "popular": return .reply(request, queries.popular())
        case "latest": return .reply(request, queries.latest())
        case "item": return .reply(request, try queries.item())
        case "items": return .reply(request, try queries.items())
        case "user": return .reply(request, try queries.user())
        case "users": return .reply(request, try queries.users())
        case "feedback": return .reply(request, try queries.feedback())
        case "user-feedback", "user-feedback-of-kind": return .reply(request, try queries.feedbackOfUser())
        default: throw Problem(404, "unknown-call", "There is no call \(call).")
        }
    }
}
