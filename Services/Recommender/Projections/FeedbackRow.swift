import EventSourcing
import Events
import Vocabulary

/// What a person did with a product, as another system reported it last. The key is `<person>|<product>|<kind>`.
struct FeedbackRow: TableRow {
    static let schema = TableSchema(
        "feedback", [("person", .text), ("product", .text), ("kind", .text), ("at", .integer)], indexed: ["person"])

    let key: String
    let person: PersonID
    let product: ProductID
    let kind: String
    let at: Instant

    init(_ feedback: Feedback) {
        key = "\(feedback.person)|\(feedback.product)|\(feedback.kind)"
        (person, product, kind, at) = (feedback.person, feedback.product, feedback.kind, feedback.at)
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        person = PersonID(try cells.text())
        product = ProductID(try cells.text())
        kind = try cells.text()
        at = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] {
        [.text(person.rawValue), .text(product.rawValue), .text(kind), .integer(at.microseconds)]
    }
}

/// The projection of reported feedback into purchases and views: what a person did at one time is one basket.
enum FeedbackViews {
    /// The beginning of the keys of such baskets among the orders.
    static let prefix = "feedback|"

    static func apply(_ event: FeedbackReceived, to tables: some Tables) {
        for feedback in event.feedback {
            guard tables.get(RecommenderErasedRow.self, feedback.person.rawValue) == nil else { continue }
            tables.put(FeedbackRow(feedback))
            if feedback.isView {
                var row = tables.get(ViewedRow.self, feedback.person.rawValue) ?? ViewedRow(feedback.person)
                row.add([feedback.product], at: feedback.at)
                tables.put(row)
            } else {
                addPurchase(feedback, tables)
            }
        }
    }

    static func apply(_ event: FeedbackDeleted, to tables: some Tables) {
        func isMeant(_ product: ProductID) -> Bool { event.product.map { $0 == product } ?? true }
        delete(of: event.person, where: isMeant, tables)
        for var row in tables.find(
            PurchaseRow.self, where: "buyer", is: event.person.rawValue, limit: RecommenderLimits.rows)
        where row.key.hasPrefix(prefix) {
            row.products.removeAll { isMeant($0) }
            if row.products.isEmpty { tables.remove(PurchaseRow.self, row.key) } else { tables.put(row) }
        }
        guard var viewed = tables.get(ViewedRow.self, event.person.rawValue) else { return }
        viewed.remove(where: isMeant)
        if viewed.views.isEmpty { tables.remove(ViewedRow.self, viewed.key) } else { tables.put(viewed) }
    }

    /// Deletes the rows of an erased person; the baskets are erased with the person's orders.
    static func erase(_ person: PersonID, _ tables: some Tables) { delete(of: person, where: { _ in true }, tables) }

    private static func delete(of person: PersonID, where isMeant: (ProductID) -> Bool, _ tables: some Tables) {
        for row in tables.find(FeedbackRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
        where isMeant(row.product) {
            tables.remove(FeedbackRow.self, row.key)
        }
    }

    private static func addPurchase(_ feedback: Feedback, _ tables: some Tables) {
        let key = "\(prefix)\(feedback.person)|\(feedback.at.microseconds)"
        var row =
            tables.get(PurchaseRow.self, key)
            ?? PurchaseRow(OrderID(key), by: feedback.person, at: feedback.at, [])
        guard !row.products.contains(feedback.product) else { return }
        row.products.append(feedback.product)
        row.state = .collected
        tables.put(row)
        PicksOutcomes.update(feedback.person, tables)
    }
}
