import EventSourcing
import Events
import Vocabulary

/// The products that a person has looked at, the latest first, at most ``RecommenderLimits/viewed``. The key is the
/// person.
struct ViewedRow: TableRow {
    static let schema = TableSchema("viewed", [("views", .text)])

    /// A product and when the person looked at it last.
    struct View: Equatable, Sendable {
        let product: ProductID
        let at: Instant
    }

    let key: String
    private(set) var views: [View] = []

    init(_ person: PersonID) { key = person.rawValue }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        views = try cells.text().split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
            return View(product: ProductID(String(parts[1])), at: Instant(microseconds: time))
        }
    }

    var cells: [Cell] {
        [.text(views.map { "\($0.at.microseconds) \($0.product)" }.joined(separator: "\n"))]
    }

    /// Adds products that were looked at in this order.
    mutating func add(_ products: [ProductID], at time: Instant) {
        for product in products {
            views.removeAll { $0.product == product }
            views.insert(View(product: product, at: time), at: 0)
        }
        views = Array(views.prefix(RecommenderLimits.viewed))
    }

    mutating func remove(where isMeant: (ProductID) -> Bool) { views.removeAll { isMeant($0.product) } }
}
