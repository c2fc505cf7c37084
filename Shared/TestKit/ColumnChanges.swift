import Testing

/// Columns of stored rows that a test changed in turn, and which check found each change.
public struct ColumnChanges {
    private var count = 0
    private var columns: Set<String> = []
    private var missed: [String] = []
    private var foundByChain = 0

    public init() {}

    /// Records one change.
    ///
    /// - Parameters:
    ///   - column: `table.column`.
    ///   - flaw: What the check of the index found, or nil.
    ///   - isChainWhole: Whether the hash chain alone still verifies.
    public mutating func record(_ column: String, flaw: String?, isChainWhole: Bool) {
        count += 1
        columns.insert(column)
        if !isChainWhole { foundByChain += 1 }
        if flaw == nil, isChainWhole { missed.append(column) }
    }

    /// Expects that every change was found, most of them by the index alone, in at least `floor` columns.
    public func expectAllFound(in store: String, floor: Int) {
        print(
            """
            \(store): \(count) changes in \(columns.count) columns, \(missed.count) not found; \
            \(foundByChain) by the chain alone
            """)
        #expect(missed == [])
        #expect(columns.count >= floor && count >= floor && foundByChain < count / 2)
    }
}
