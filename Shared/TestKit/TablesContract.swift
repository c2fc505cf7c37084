public import EventSourcing
public import EventStore

/// How the contract makes and reopens the tables of one engine.
public struct TablesHarness {
    /// Tables with nothing in them yet, of these shapes.
    public let create: ([TableSchema]) throws -> any TableStore
    /// Ends the tables without a flush and opens what they left, with these shapes; nil for what keeps nothing.
    public let reopen: ((any TableStore, [TableSchema]) throws -> any TableStore)?

    public init(
        create: @escaping ([TableSchema]) throws -> any TableStore,
        reopen: ((any TableStore, [TableSchema]) throws -> any TableStore)? = nil
    ) {
        self.create = create
        self.reopen = reopen
    }
}

/// What every engine of view tables does.
public enum TablesContract {
    public typealias Check = ContractCheck<TablesHarness>

    public static var checks: [Check] {
        [
            Check("gives back identical cells", keepsCells),
            Check("replaces and removes rows", changes),
            Check("scans in byte order, with what is not flushed", scans),
            Check("finds by an index, with what is not flushed", finds),
            Check("keeps what was flushed and nothing else", flushes),
            Check("empties tables of another shape", reshapes),
            Check("wipes", wipes),
            Check("digests every change of every table", digests),
            Check("keeps its first failure and answers nothing from then on", fails),
            Check("does as the model does, and has its digests", follows),
            Check("takes more changes than it holds in memory", overflows),
        ]
    }

    static let schemas = [CrateRow.schema, TagRow.schema]

    /// Texts that engines could confuse, in byte order.
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

    public let key: String
    public let cells: [Cell]

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

    /// The row spelled so that what differs in one bit is spelled differently.
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

/// A row of nothing but its key, for tests of tables.
public struct TagRow: TableRow, Equatable {
    public static let schema = TableSchema("tag", [])
    public let key: String
    public var cells: [Cell] { [] }

    public init(_ key: String) {
        self.key = key
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        guard cells.isEmpty else { throw RowDecodingError(table: Self.schema.name, key: key) }
        self.key = key
    }
}

/// A table as `crate` with one column less: the same data in another shape.
struct OtherCrateRow: TableRow {
    static let schema = TableSchema("crate", [("label", .text)], indexed: ["label"])
    let key: String
    let cells: [Cell]

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        self.key = key
        self.cells = cells
    }
}

/// A table that nobody declares.
struct StrayRow: TableRow {
    static let schema = TableSchema("stray", [("label", .text)])
    let key: String
    let cells: [Cell]

    init(key: String, cells: [Cell]) {
        self.key = key
        self.cells = cells
    }
}
