import JSON

/// Decodes the cells of a stored row in the order of its schema's columns.
///
/// ```
/// init(key: String, cells: [Cell]) throws(RowDecodingError) {
///     var reader = try CellReader(Self.schema, key, cells)
///     lot = try reader.text()
///     grams = try reader.integer()
/// }
/// ```
public struct CellReader {
    private let table: String
    private let key: String
    private var rest: ArraySlice<Cell>

    /// Starts at the first cell. Throws `RowDecodingError` if the number of cells is not that of the schema's columns.
    public init(_ schema: TableSchema, _ key: String, _ cells: [Cell]) throws(RowDecodingError) {
        table = schema.name
        self.key = key
        rest = cells[...]
        guard cells.count == schema.columns.count else { throw bad }
    }

    /// Returns the next cell. Throws if it is not text.
    public mutating func text() throws(RowDecodingError) -> String {
        guard case .text(let value) = rest.popFirst() else { throw bad }
        return value
    }

    /// Returns the next cell. Throws if it is not an integer.
    public mutating func integer() throws(RowDecodingError) -> Int64 {
        guard case .integer(let value) = rest.popFirst() else { throw bad }
        return value
    }

    /// Returns the next cell as an `Int`. Throws if it is not an integer.
    public mutating func int() throws(RowDecodingError) -> Int {
        Int(try integer())
    }

    /// Returns the next cell. Throws if it is not a real.
    public mutating func real() throws(RowDecodingError) -> Double {
        guard case .real(let value) = rest.popFirst() else { throw bad }
        return value
    }

    /// Returns whether the next cell is an integer other than 0. Throws if it is not an integer.
    public mutating func flag() throws(RowDecodingError) -> Bool {
        try integer() != 0
    }

    /// Returns the next cell, or nil if it is null. Throws if it has another kind.
    public mutating func optionalText() throws(RowDecodingError) -> String? {
        switch rest.popFirst() {
        case .text(let value): value
        case .null: nil
        default: throw bad
        }
    }

    /// Returns the next cell, or nil if it is null. Throws if it has another kind.
    public mutating func optionalInteger() throws(RowDecodingError) -> Int64? {
        switch rest.popFirst() {
        case .integer(let value): value
        case .null: nil
        default: throw bad
        }
    }

    /// Returns the next cell, or nil if it is null. Throws if it has another kind.
    public mutating func optionalReal() throws(RowDecodingError) -> Double? {
        switch rest.popFirst() {
        case .real(let value): value
        case .null: nil
        default: throw bad
        }
    }

    /// Returns what `make` parses from the next cell. Throws if it is not text or `make` returns nil.
    public mutating func text<Value>(_ make: (String) -> Value?) throws(RowDecodingError) -> Value {
        guard let value = make(try text()) else { throw bad }
        return value
    }

    /// Returns the event that `Cell(event:)` wrote. Throws if the next cell is not its JSON.
    public mutating func event<Data: Event>(_ type: Data.Type = Data.self) throws(RowDecodingError) -> Data {
        let text = try text()
        do throws(JSONError) {
            return try Data(json: JSONValue.parse(text))
        } catch {
            throw bad
        }
    }

    private var bad: RowDecodingError { RowDecodingError(table: table, key: key) }
}

extension Cell {
    /// Creates a text cell, or null for nil.
    public init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    /// Creates an integer cell, or null for nil.
    public init(_ integer: Int64?) {
        self = integer.map { .integer($0) } ?? .null
    }

    /// Creates a real cell, or null for nil.
    public init(_ real: Double?) {
        self = real.map { .real($0) } ?? .null
    }

    /// Creates a text cell with an event's data as JSON: for a row that is the last event of its kind.
    public init(event: some Event) {
        var json = JSONWriter()
        json.object(event.write(fields:))
        self = .text(json.text)
    }

    /// Creates an integer cell, 1 for true and 0 for false.
    public init(_ flag: Bool) {
        self = .integer(flag ? 1 : 0)
    }
}
