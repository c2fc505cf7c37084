/// Reads the cells of a stored row in the order its schema gives them.
public struct CellReader {
    private let table: String
    private let key: String
    private var rest: ArraySlice<Cell>

    public init(_ schema: TableSchema, _ key: String, _ cells: [Cell]) throws(RowDecodingError) {
        table = schema.name
        self.key = key
        rest = cells[...]
        guard cells.count == schema.columns.count else { throw bad }
    }

    public mutating func text() throws(RowDecodingError) -> String {
        guard case .text(let value) = rest.popFirst() else { throw bad }
        return value
    }

    public mutating func integer() throws(RowDecodingError) -> Int64 {
        guard case .integer(let value) = rest.popFirst() else { throw bad }
        return value
    }

    public mutating func int() throws(RowDecodingError) -> Int {
        Int(try integer())
    }

    public mutating func real() throws(RowDecodingError) -> Double {
        guard case .real(let value) = rest.popFirst() else { throw bad }
        return value
    }

    public mutating func flag() throws(RowDecodingError) -> Bool {
        try integer() != 0
    }

    public mutating func optionalText() throws(RowDecodingError) -> String? {
        switch rest.popFirst() {
        case .text(let value): value
        case .null: nil
        default: throw bad
        }
    }

    public mutating func optionalInteger() throws(RowDecodingError) -> Int64? {
        switch rest.popFirst() {
        case .integer(let value): value
        case .null: nil
        default: throw bad
        }
    }

    public mutating func optionalReal() throws(RowDecodingError) -> Double? {
        switch rest.popFirst() {
        case .real(let value): value
        case .null: nil
        default: throw bad
        }
    }

    /// The value that `make` finds in a text cell.
    public mutating func text<Value>(_ make: (String) -> Value?) throws(RowDecodingError) -> Value {
        guard let value = make(try text()) else { throw bad }
        return value
    }

    private var bad: RowDecodingError { RowDecodingError(table: table, key: key) }
}

extension Cell {
    public init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    public init(_ integer: Int64?) {
        self = integer.map { .integer($0) } ?? .null
    }

    public init(_ real: Double?) {
        self = real.map { .real($0) } ?? .null
    }

    public init(_ flag: Bool) {
        self = .integer(flag ? 1 : 0)
    }
}
