public import EventSourcing

/// What came of comparing one rebuilt table with the live one at the same position of the journal.
public struct ViewComparison: Sendable, Equatable {
    /// How they compare.
    public enum Verdict: String, Sendable {
        case equal
        /// Declared alike and not equal: one of them is not what the journal folds to.
        case different
        /// Of other columns or another version, which need not give the same.
        case changed
        /// Only rebuilt.
        case added
        /// Only live.
        case gone
    }

    public let table: String
    public let verdict: Verdict
    /// How many rows were rebuilt.
    public let rows: Int

    /// Compares all tables, in order of names.
    public static func all(live: any ViewSnapshot, next: any ViewSnapshot) throws(LogFailure) -> [ViewComparison] {
        guard live.position == next.position else {
            throw LogFailure(
                operation: "compare views", message: "they stand at \(live.position) and at \(next.position)")
        }
        let declared = (live: TableShape.tables(of: live.shape), next: TableShape.tables(of: next.shape))
        let digests = (live: try table(live.digests()), next: try table(next.digests()))
        return Set(digests.live.keys).union(digests.next.keys).sorted().map { name in
            let verdict: Verdict =
                switch (digests.live[name], digests.next[name]) {
                case (nil, _): .added
                case (_, nil): .gone
                case _ where declared.live[name] != declared.next[name]: .changed
                case (let live, let next): live == next ? .equal : .different
                }
            return ViewComparison(table: name, verdict: verdict, rows: digests.next[name]?.rows ?? 0)
        }
    }

    private static func table(_ digests: [TableDigest]) -> [String: TableDigest] {
        Dictionary(digests.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
