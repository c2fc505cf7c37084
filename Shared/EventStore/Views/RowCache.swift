package import EventSourcing

/// What is remembered of one view table: changed rows until they are written, and rows that were read of late.
///
/// Rows are kept as values: their cells are made when they are written, once for however many changes.
package struct RowCache {
    /// Rows changed since they were written last; nil for a removed one.
    private var changed: [BinaryString: (any TableRow)?] = [:]
    /// Rows as they are stored; nil for one that isn't there.
    private var stored = GenerationalCache<BinaryString, (any TableRow)?>(limit: StoreLimits.rowsCached) {
        $0?.weight ?? 1
    }

    package init() {}

    /// The row under `key`: as it is known here, else as `read` finds its cells in the table.
    package mutating func row<Row: TableRow>(
        _ key: String, reading read: () throws(LogFailure) -> [Cell]?
    ) throws(LogFailure) -> Row? {
        let exact = BinaryString(key)
        if let known = changed[exact] ?? stored[exact] {
            return try known.map { row throws(LogFailure) in try Row(remembered: row) }
        }
        let row = try read().map { cells throws(LogFailure) in try Row(stored: key, cells) }
        stored.insert(row, for: exact)
        return row
    }

    /// Gives 1 if the row had not been changed before, else 0.
    package mutating func change(_ row: (any TableRow)?, for key: BinaryString) -> Int {
        changed.updateValue(row, forKey: key) == nil ? 1 : 0
    }

    /// The changed rows, which count as written from now on; in order of keys, where neighbours share pages.
    package mutating func takeChanges() -> [(key: BinaryString, cells: [Cell]?)] {
        guard !changed.isEmpty else { return [] }
        let rows = changed.sorted { $0.key < $1.key }
        for (key, row) in rows { stored.insert(row, for: key) }
        changed.removeAll(keepingCapacity: true)
        return rows.map { ($0.key, $0.value?.cells) }
    }
}
