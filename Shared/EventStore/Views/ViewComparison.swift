public import EventSourcing

/// The result of comparing a rebuilt table with the live one at the same position of the journal.
public struct ViewComparison: Sendable, Equatable {
    /// The result of a comparison.
    public enum Verdict: String, Sendable {
        /// The tables have the same rows.
        case equal
        /// The declarations are equal and the rows are not: one of the tables is not what the journal projects to.
        case different
        /// The columns or the version of the projection differ, so the rows may differ, too.
        case changed
        /// Only the rebuilt tables have it.
        case added
        /// Only the live tables have it.
        case gone
    }

    /// The name of the table.
    public let table: String
    /// How the tables compare.
    public let verdict: Verdict
    /// The number of rebuilt rows.
    public let rows: Int

    /// Compares all tables, in order of names. Throws unless both have the same journal position.
    public static func all(live: any ViewSnapshot, next: any ViewSnapshot) throws(LogFailure) -> [ViewComparison] {
        guard live.position == next.position else {
            throw LogFailure(
                operation: "compare views", message: "their positions are \(live.position) and \(next.position)")
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
