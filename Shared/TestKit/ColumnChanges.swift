/// Columns of stored rows that a test changed in turn, and which check found each change.
public struct ColumnChanges {
    private var count = 0
    private var columns: Set<String> = []
    private var foundByChain = 0
    /// The columns with a change that no check found.
    public private(set) var missed: [String] = []

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

    /// Returns whether at least so many columns were changed, and most changes were found by the index alone.
    public func reaches(columns floor: Int) -> Bool {
        columns.count >= floor && count >= floor && foundByChain < count / 2
    }
}

extension ColumnChanges: CustomStringConvertible {
    public var description: String {
        """
        \(count) changes in \(columns.count) columns, \(missed.count) not found; \(foundByChain) by the chain alone
        """
    }
}
