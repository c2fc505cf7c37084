package import EventSourcing

/// The cached rows of one view table: changed rows that are not written yet, and recently read rows.
///
/// Rows are cached as values. Their cells are computed when they are written, once for any number of changes.
package struct RowCache {
    /// Rows that were changed since the last write; nil for a removed one.
    private var changed: [BinaryString: (any TableRow)?] = [:]
    /// Rows as they are stored; nil for a key without a row.
    private var stored = GenerationalCache<BinaryString, (any TableRow)?>(limit: StoreLimits.rowsCached) {
        $0?.weight ?? 1
    }

    package init() {}

    /// Returns the row under `key` from the cache, or decoded from the cells that `read` returns.
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

    /// Changes a row, or removes it if nil. Returns 1 if it had no unwritten change yet, otherwise 0.
    package mutating func change(_ row: (any TableRow)?, for key: BinaryString) -> Int {
        changed.updateValue(row, forKey: key) == nil ? 1 : 0
    }

    /// Returns the changed rows in order of keys, where neighbours share pages, and marks them as written.
    package mutating func takeChanges() -> [(key: BinaryString, cells: [Cell]?)] {
        guard !changed.isEmpty else { return [] }
        let rows = changed.sorted { $0.key < $1.key }
        for (key, row) in rows { stored.insert(row, for: key) }
        changed.removeAll(keepingCapacity: true)
        return rows.map { ($0.key, $0.value?.cells) }
    }
}
