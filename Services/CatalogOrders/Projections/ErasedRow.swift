import EventSourcing
import Vocabulary

/// A person who was erased. The key is the person.
struct ErasedRow: TableRow {
    static let schema = TableSchema("erased", [("since", .integer)])

    let key: String
    let since: Instant

    init(_ person: PersonID, since: Instant) {
        key = person.rawValue
        self.since = since
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        since = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.integer(since.microseconds)] }
}
