public import EventSourcing
public import EventStore

/// Creates and reopens the table stores of one implementation, for the contract.
public struct TablesHarness {
    /// Creates empty tables of these schemas.
    public let create: ([TableSchema]) throws -> any TableStore
    /// Closes the tables without a flush and reopens them with these schemas; nil if nothing is stored.
    public let reopen: ((any TableStore, [TableSchema]) throws -> any TableStore)?

    /// Creates a harness.
    public init(
        create: @escaping ([TableSchema]) throws -> any TableStore,
        reopen: ((any TableStore, [TableSchema]) throws -> any TableStore)? = nil
    ) {
        self.create = create
        self.reopen = reopen
    }
}

/// The contract of every store of view tables.
public enum TablesContract {
    /// A clause of this contract.
    public typealias Check = ContractCheck<TablesHarness>

    /// All clauses.
    public static var checks: [Check] {
        [
            Check("reading returns identical cells", keepsCells),
            Check("rows are replaced and removed", changes),
            Check("scans are in byte order and include unflushed rows", scans),
            Check("index look-ups include unflushed rows", finds),
            Check("exactly the flushed rows survive a crash", flushes),
            Check("a table with a changed schema is emptied", reshapes),
            Check("wiping removes all rows", wipes),
            Check("every change of a table changes its digest", digests),
            Check("a store that failed returns no rows and commits nothing", fails),
            Check("random changes match the model and its digests", follows),
            Check("more changes than fit in memory are accepted", overflows),
        ]
    }

    static let schemas = [CrateRow.schema, TagRow.schema]

    /// Texts that an implementation could confuse, in byte order.
    static let texts = [
        "", " ", "'; DROP TABLE crate; --", "A", "B", "Z", "a", "a ", "a/", "a/1", "a/10", "a/2", "a0", "b", "e\u{301}",
        "\u{7F}", "\u{E9}", "\u{FFFF}", "\u{1F345}",
    ]

    static let numbers: [Double] = [
        0, -0.0, 1, -1, 0.1, 21.5, .pi, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
        -.greatestFiniteMagnitude, 9_007_199_254_740_992, 1e300,
    ]
}

/// A row with a cell of every kind, for tests of tables.
public struct CrateRow: TableRow, Equatable {
    public static let schema = TableSchema(
        "crate", [("label", .text), ("grams", .integer), ("warmth", .real), ("order", .text), ("note", .text)],
        indexed: ["label", "order"])

    /// The primary key.
    public let key: String
    /// The cells, in the order of the schema.
    public let cells: [Cell]

    /// Creates a row.
    public init(_ key: String, label: String?, grams: Int64?, warmth: Double?, order: String?, note: String? = nil) {
        self.key = key
        cells = [
            label.map { .text($0) } ?? .null, grams.map { .integer($0) } ?? .null, warmth.map { .real($0) } ?? .null,
            order.map { .text($0) } ?? .null, note.map { .text($0) } ?? .null,
        ]
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        guard cells.count == 5 else { throw RowDecodingError(table: Self.schema.name, key: key) }
        self.key = key
        self.cells = cells
    }

    /// A text of the row in which a difference of one bit is visible.
    public var spelled: String {
        let spelled = cells.map { cell in
            switch cell {
            case .null: "-"
            case .integer(let value): "i\(value)"
            case .real(let value): "r\(String(value.bitPattern, radix: 16))"
            case .text(let value): "t\(Array(value.utf8))"
            }
        }
        return "\(Array(key.utf8)) \(spelled)"
    }
}

/// A row with only a key, for tests of tables.
public struct TagRow: TableRow, Equatable {
    public static let schema = TableSchema("tag", [])
    /// The primary key.
    public let key: String
    public var cells: [Cell] { [] }

    /// Creates a row.
    public init(_ key: String) {
        self.key = key
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        guard cells.isEmpty else { throw RowDecodingError(table: Self.schema.name, key: key) }
        self.key = key
    }
}

/// The table `crate` with fewer columns: the same data under another schema.
struct OtherCrateRow: TableRow {
    static let schema = TableSchema("crate", [("label", .text)], indexed: ["label"])
    let key: String
    let cells: [Cell]

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        self.key = key
        self.cells = cells
    }
}

/// A table that is not declared.
struct StrayRow: TableRow {
    static let schema = TableSchema("stray", [("label", .text)])
    let key: String
    let cells: [Cell]

    init(key: String, cells: [Cell]) {
        self.key = key
        self.cells = cells
    }
}
