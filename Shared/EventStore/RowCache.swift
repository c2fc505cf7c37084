import EventSourcing

/// What is remembered of one view table: changed rows until they are written, and rows that were read of late.
struct RowCache {
    /// Rows changed since they were written last; nil for a removed one.
    private(set) var changed: [ExactText: [Cell]?] = [:]
    /// Rows as they are stored; nil for one that isn't there.
    private var stored = Generations<ExactText, [Cell]?>(limit: StoreLimits.rowsCached)

    init() {}

    /// The row if it is known here, with nil inside for one that isn't there.
    mutating func row(_ key: ExactText) -> [Cell]?? {
        if let row = changed[key] { return .some(row) }
        return stored[key]
    }

    /// The row was read from the table.
    mutating func learn(_ row: [Cell]?, for key: ExactText) {
        stored.insert(row, for: key)
    }

    /// Gives 1 if the row had not been changed before, else 0.
    mutating func change(_ row: [Cell]?, for key: ExactText) -> Int {
        changed.updateValue(row, forKey: key) == nil ? 1 : 0
    }

    /// The changed rows were written.
    mutating func settle() {
        for (key, row) in changed { stored.insert(row, for: key) }
        changed.removeAll(keepingCapacity: true)
    }

    mutating func forget() {
        changed = [:]
        stored.removeAll()
    }
}
