import EventSourcing
import JSON
import Wire

extension ResponsePage {
    /// Creates a page from rows that were read after a key, at most `most`. If there are as many, the next page begins
    /// after the last one.
    init<Row: TableRow>(_ rows: [Row], most: Int = LedgerLimits.pageItems, _ item: (Row) -> Item) {
        self.init(rows.map(item), next: rows.count == most ? rows.last?.key : nil)
    }
}
