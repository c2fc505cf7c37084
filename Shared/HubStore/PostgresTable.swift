import EventSourcing
import EventStore
import Postgres

/// One view table in the schema of a generation: its statements and its cells. Texts are stored as `PostgresText`.
struct PostgresTable {
    let schema: TableSchema
    private let select: String
    private let upsert: String
    private let delete: String

    /// The length of the indexed prefix of a text, because an index entry of PostgreSQL has a limited size.
    private static let indexedCharacters = 200

    init(_ schema: TableSchema, in place: ViewGeneration) {
        self.schema = schema
        let table = Self.name(schema.name, in: place)
        let columns = ["key"] + schema.columns.map { Self.quoted($0.name) }
        let list = columns.joined(separator: ", ")
        let kinds = ["text"] + schema.columns.map { Self.type($0.kind) }
        let arrays = kinds.enumerated().map { "$\($0.offset + 1)::\($0.element)[]" }.joined(separator: ", ")
        let changes = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let conflict = changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes)"
        select = "SELECT \(list) FROM \(table)"
        upsert = "INSERT INTO \(table)(\(list)) SELECT * FROM unnest(\(arrays)) ON CONFLICT (key) DO \(conflict)"
        delete = "DELETE FROM \(table) WHERE key = ANY($1::text[])"
    }

    static func create(_ schema: TableSchema, in place: ViewGeneration) -> String {
        let table = name(schema.name, in: place)
        let columns = schema.columns.map { column in
            let collation = column.kind == .text ? " COLLATE \"C\"" : ""
            return "\(quoted(column.name)) \(type(column.kind))\(collation)"
        }
        let list = (["key text COLLATE \"C\" PRIMARY KEY"] + columns).joined(separator: ", ")
        let indexes = schema.indexed.map { column in
            "CREATE INDEX ON \(table)(left(\(quoted(column)), \(indexedCharacters)), key)"
        }
        return (["CREATE TABLE \(table)(\(list))"] + indexes).joined(separator: ";\n")
    }

    func get(_ key: String) -> PostgresCall {
        ("\(select) WHERE key = $1", [.text(PostgresText.escape(key))])
    }

    func scan(prefix: String, after: String?, limit: Int) -> PostgresCall {
        let prefix = PostgresText.escape(prefix)
        var values: [PGValue] = [.integer(Int64(max(limit, 0))), .text(prefix)]
        var conditions = ["key >= $2"]
        if let end = PostgresText.end(ofPrefix: prefix) {
            values.append(.text(end))
            conditions.append("key < $\(values.count)")
        }
        if let after {
            values.append(.text(PostgresText.escape(after)))
            conditions.append("key > $\(values.count)")
        }
        return ("\(select) WHERE \(conditions.joined(separator: " AND ")) ORDER BY key LIMIT $1", values)
    }

    /// Returns the query for rows with a value in a column; nil if the column has no index.
    func find(_ column: String, _ value: String, limit: Int) -> PostgresCall? {
        guard schema.indexed.contains(column) else { return nil }
        let name = Self.quoted(column)
        let sql = """
            \(select) WHERE left(\(name), \(Self.indexedCharacters)) = left($2::text, \(Self.indexedCharacters))
            AND \(name) = $2 ORDER BY key LIMIT $1
            """
        return (sql, [.integer(Int64(max(limit, 0))), .text(PostgresText.escape(value))])
    }

    /// Returns the statements that write changed rows; cells are nil for a removed row.
    func write(_ changes: [(key: BinaryString, cells: [Cell]?)]) -> [PostgresCall] {
        var removed = PostgresArray()
        var columns = [PostgresArray](repeating: PostgresArray(), count: schema.columns.count + 1)
        var counts = (removed: 0, kept: 0)
        for (key, cells) in changes {
            let key = PostgresText.escape(key.text)
            guard let cells else {
                removed.append(key)
                counts.removed += 1
                continue
            }
            counts.kept += 1
            columns[0].append(key)
            for (index, cell) in cells.enumerated() { columns[index + 1].append(cell) }
        }
        var calls: [PostgresCall] = []
        if counts.removed > 0 { calls.append((delete, [.text(removed.text)])) }
        if counts.kept > 0 { calls.append((upsert, columns.map { .text($0.text) })) }
        return calls
    }

    /// Decodes the key and the cells of a stored row of any table, declared or not.
    static func row(_ values: [PGValue]) throws(LogFailure) -> (key: String, cells: [Cell]) {
        guard let first = values.first else {
            throw LogFailure(operation: "read a row", message: "a table has no columns")
        }
        var cells: [Cell] = []
        cells.reserveCapacity(values.count - 1)
        for value in values.dropFirst() { cells.append(cell(value)) }
        guard case .text(let key) = cell(first) else { return ("\(cell(first))", cells) }
        return (key, cells)
    }

    private static func cell(_ value: PGValue) -> Cell {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(PostgresText.unescape(value))
        // No declared table has such a column, but an undeclared one counts in the digests.
        case .boolean(let value): .integer(value ? 1 : 0)
        case .bytes(let value): .text("\(value)")
        }
    }

    static func name(_ table: String, in place: ViewGeneration) -> String { "\(place.schemaName).\(quoted(table))" }

    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    private static func type(_ kind: TableSchema.Kind) -> String {
        switch kind {
        case .integer: "bigint"
        case .real: "float8"
        case .text: "text"
        }
    }
}
