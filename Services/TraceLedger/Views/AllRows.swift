import EventSourcing

extension Tables {
    /// All rows whose key begins with `prefix`, however many there are.
    func all<Row: TableRow>(_ type: Row.Type, prefix: String) -> [Row] {
        var rows: [Row] = []
        while true {
            let page = scan(type, prefix: prefix, after: rows.last?.key, limit: LedgerLimits.scanned)
            rows += page
            guard page.count == LedgerLimits.scanned else { return rows }
        }
    }
}
