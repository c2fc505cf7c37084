import EventSourcing

extension Tables {
    /// Returns all rows whose key begins with `prefix`.
    func all<Row: TableRow>(_ type: Row.Type, prefix: String) -> [Row] {
        var rows: [Row] = []
        while true {
            let page = scan(type, prefix: prefix, after: rows.last?.key, limit: LedgerLimits.scanned)
            rows += page
            guard page.count == LedgerLimits.scanned else { return rows }
        }
    }
}
