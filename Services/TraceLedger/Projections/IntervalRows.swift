import EventSourcing
import Vocabulary

/// Hours at a place that are part of a lot's story. No two intervals of a place overlap or touch.
///
/// The key is `<place>|<the hour it ends with, 8 digits>`, so that later intervals are found without reading earlier
/// ones.
struct StoryIntervalRow: TableRow {
    static let schema = TableSchema("told", [("since", .integer)])

    let key: String
    let hours: ClosedRange<Int64>

    init(_ place: Place, _ hours: ClosedRange<Int64>) {
        key = "\(place)|" + hours.upperBound.hourDigits
        self.hours = hours
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        let first = try cells.integer()
        guard let last = Int64(key.suffix(8)), first <= last else {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
        hours = first...last
    }

    var cells: [Cell] { [.integer(hours.lowerBound)] }

    /// Returns the first interval of a place that ends at or after an hour.
    static func first(_ place: Place, through hour: Int64, in tables: any Tables) -> StoryIntervalRow? {
        // There is no hour before 0.
        let after = hour > 0 ? "\(place)|" + (hour - 1).hourDigits : nil
        return tables.scan(StoryIntervalRow.self, prefix: "\(place)|", after: after, limit: 1).first
    }
}

/// An interval of a place that may become part of a story and has no end yet: a lot is in a store, or a crop grows on a
/// plot.
///
/// The key is `<place>|<the hour it began, 8 digits>|<which>`.
struct OpenIntervalRow: TableRow {
    static let schema = TableSchema("lasting", [("which", .text), ("harvested", .integer)], indexed: ["which"])

    let key: String
    /// The lot that is there; for a plot, the plot itself.
    let which: String
    let since: Int64
    /// Whether the crop was already harvested once.
    var isHarvested = false

    init(_ place: Place, since: Int64, _ which: String) {
        key = "\(place)|\(since.hourDigits)|\(which)"
        self.which = which
        self.since = since
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        which = try cells.text()
        isHarvested = try cells.flag()
        guard let since = Int64(key.dropLast(which.utf8.count + 1).suffix(8)) else {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
        self.since = since
    }

    var cells: [Cell] { [.text(which), Cell(isHarvested)] }
}
