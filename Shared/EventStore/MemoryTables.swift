public import EventSourcing

/// View tables in memory, for tests and simulations; what it holds goes with it.
public final class MemoryTables: TableStore {
    private struct Table {
        let schema: TableSchema
        var rows: [ExactText: [Cell]] = [:]
        var keys = SortedKeys()
        /// By the number of the indexed column, the keys of the rows that have a value there.
        var indexes: [Int: [ExactText: SortedKeys]] = [:]
        private let indexed: [Int]

        init(_ schema: TableSchema) {
            self.schema = schema
            indexed = schema.columns.indices.filter { schema.indexed.contains(schema.columns[$0].name) }
            for column in indexed { indexes[column] = [:] }
        }

        mutating func put(_ cells: [Cell], _ key: ExactText) {
            let old = rows.updateValue(cells, forKey: key)
            if old == nil { keys.insert(key) }
            if let old { leaveIndexes(old, key) }
            for column in indexed {
                if case .text(let value) = cells[column] {
                    indexes[column]?[ExactText(value), default: SortedKeys()].insert(key)
                }
            }
        }

        mutating func remove(_ key: ExactText) {
            guard let old = rows.removeValue(forKey: key) else { return }
            keys.remove(key)
            leaveIndexes(old, key)
        }

        private mutating func leaveIndexes(_ cells: [Cell], _ key: ExactText) {
            for column in indexed {
                guard case .text(let text) = cells[column] else { continue }
                let value = ExactText(text)
                indexes[column]?[value]?.remove(key)
                if indexes[column]?[value]?.isEmpty == true { indexes[column]?[value] = nil }
            }
        }
    }

    private let shape: TableShape
    private var tables: [String: Table]
    private var failure: LogFailure?
    public private(set) var position: Position = 0

    /// Empty tables of these shapes.
    public init(_ schemas: [TableSchema]) throws(LogFailure) {
        shape = try TableShape(schemas)
        tables = [:]
        empty()
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let table = table(Row.schema), let cells = table.rows[ExactText(key)] else { return nil }
        return row(type, key, cells)
    }

    public func put(_ row: some TableRow) {
        let name = type(of: row).schema.name
        let cells = row.cells
        guard failure == nil else { return }
        guard tables[name]?.schema.fits(cells) == true else { return fail("put", BadRow(table: name, key: row.key)) }
        tables[name]?.put(cells, ExactText(row.key))
    }

    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        let name = Row.schema.name
        guard failure == nil else { return }
        guard tables[name] != nil else { return fail("remove", BadRow(table: name, key: key)) }
        tables[name]?.remove(ExactText(key))
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        guard let table = table(Row.schema) else { return [] }
        let prefix = ExactText(prefix)
        let after = after.map { ExactText($0) }
        let first = after.map { max($0, prefix) } ?? prefix
        // `after` itself may be met first, and is not wanted.
        let skipped = after == first && table.rows[first] != nil ? 1 : 0
        let room = limit > 0 ? min(limit, Int.max - 1) + skipped : 0
        let keys = table.keys.keys(from: first, limit: room) { $0.begins(with: prefix) || $0 == after }
        return rows(type, Array(keys.dropFirst(skipped)), in: table)
    }

    public func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        guard let table = table(Row.schema) else { return [] }
        guard let number = table.schema.columns.firstIndex(where: { $0.name == column }),
            let index = table.indexes[number]
        else {
            fail("find", BadRow(table: table.schema.name, key: column))
            return []
        }
        guard let keys = index[ExactText(value)] else { return [] }
        return rows(type, keys.keys(from: ExactText(""), limit: limit) { _ in true }, in: table)
    }

    public func flush(at position: Position) throws(LogFailure) {
        if let failure { throw failure }
        self.position = position
    }

    public func digests() throws(LogFailure) -> [TableDigest] {
        if let failure { throw failure }
        return shape.tables.map { schema in
            var digest = RowDigest()
            if let table = tables[schema.name] {
                for key in table.keys.keys(from: ExactText(""), limit: .max, while: { _ in true }) {
                    digest.add(key: key.text, cells: table.rows[key] ?? [])
                }
            }
            return digest.finish(table: schema.name)
        }
    }

    /// The same rows, which go on apart from these.
    public func copy() throws(LogFailure) -> MemoryTables {
        let copy = try MemoryTables(shape.tables)
        copy.tables = tables
        copy.position = position
        return copy
    }

    public func wipe() throws(LogFailure) {
        if let failure { throw failure }
        empty()
        position = 0
    }
}

extension MemoryTables {
    private func empty() {
        tables = [:]
        for schema in shape.tables { tables[schema.name] = Table(schema) }
    }

    /// Nil, and a failure, for a table that was not declared.
    private func table(_ schema: TableSchema) -> Table? {
        guard failure == nil else { return nil }
        guard let table = tables[schema.name] else {
            fail("use a table", BadRow(table: schema.name, key: ""))
            return nil
        }
        return table
    }

    private func rows<Row: TableRow>(_ type: Row.Type, _ keys: [ExactText], in table: Table) -> [Row] {
        var rows: [Row] = []
        for key in keys {
            guard let cells = table.rows[key], let row = row(type, key.text, cells) else { return [] }
            rows.append(row)
        }
        return rows
    }

    private func row<Row: TableRow>(_ type: Row.Type, _ key: String, _ cells: [Cell]) -> Row? {
        do throws(BadRow) {
            return try Row(key: key, cells: cells)
        } catch {
            fail("read a row", error)
            return nil
        }
    }

    private func fail(_ operation: String, _ row: BadRow) {
        if failure == nil { failure = LogFailure(operation: operation, row) }
    }
}

extension LogFailure {
    /// A row that its table or its type does not take.
    init(operation: String, _ row: BadRow) {
        self.init(operation: operation, message: "\(row.table): not declared, or a row has another shape")
    }
}
