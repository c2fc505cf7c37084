public import EventSourcing

/// View tables in memory, for tests and simulations. They are not persistent.
public final class MemoryTables: TableStore {
    private struct Table {
        let schema: TableSchema
        var rows: [BinaryString: any TableRow] = [:]
        var keys = SortedKeys()
        /// For each indexed column (by number) and each value, the keys of the rows with that value.
        var indexes: [Int: [BinaryString: SortedKeys]] = [:]
        private let indexed: [Int]

        init(_ schema: TableSchema) {
            self.schema = schema
            indexed = schema.columns.indices.filter { schema.indexed.contains(schema.columns[$0].name) }
            for column in indexed { indexes[column] = [:] }
        }

        mutating func put(_ row: any TableRow, _ key: BinaryString) {
            if let old = rows.updateValue(row, forKey: key) { leaveIndexes(old, key) } else { keys.insert(key) }
            guard !indexed.isEmpty else { return }
            let cells = row.cells
            for column in indexed {
                if case .text(let value) = cells[column] {
                    indexes[column]?[BinaryString(value), default: SortedKeys()].insert(key)
                }
            }
        }

        mutating func remove(_ key: BinaryString) {
            guard let old = rows.removeValue(forKey: key) else { return }
            keys.remove(key)
            leaveIndexes(old, key)
        }

        private mutating func leaveIndexes(_ row: any TableRow, _ key: BinaryString) {
            guard !indexed.isEmpty else { return }
            let cells = row.cells
            for column in indexed {
                guard case .text(let text) = cells[column] else { continue }
                let value = BinaryString(text)
                indexes[column]?[value]?.remove(key)
                if indexes[column]?[value]?.isEmpty == true { indexes[column]?[value] = nil }
            }
        }
    }

    private let shape: TableShape
    /// The tables, in the order of the shape.
    private var tables: [Table]
    /// The number of a table by the type of its rows, once it was looked up.
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var failure: LogFailure?
    public private(set) var position: Position = 0

    /// Creates empty tables with these schemas. Throws if a schema is invalid.
    public init(_ schemas: [TableSchema]) throws(LogFailure) {
        shape = try TableShape(schemas)
        tables = shape.tables.map(Table.init)
    }

    private init(copying other: MemoryTables) {
        (shape, tables, numbers) = (other.shape, other.tables, other.numbers)
        (failure, position) = (other.failure, other.position)
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let number = number(type), let row = tables[number].rows[BinaryString(key)] else { return nil }
        return known(row)
    }

    public func put<Row: TableRow>(_ row: Row) {
        assert(row.isWhole, "\(row) differs from its decoded cells")
        guard let number = number(Row.self) else { return }
        tables[number].put(row, BinaryString(row.key))
    }

    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        guard let number = number(type) else { return }
        tables[number].remove(BinaryString(key))
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        guard let number = number(type) else { return [] }
        let prefix = BinaryString(prefix)
        let after = after.map { BinaryString($0) }
        let first = after.map { max($0, prefix) } ?? prefix
        // The first key may be `after` itself, which is not part of the result.
        let skipped = after == first && tables[number].rows[first] != nil ? 1 : 0
        let room = limit > 0 ? min(limit, Int.max - 1) + skipped : 0
        let keys = tables[number].keys.keys(from: first, limit: room) { $0.begins(with: prefix) || $0 == after }
        return keys.dropFirst(skipped).compactMap { key in tables[number].rows[key].flatMap { known($0) } }
    }

    public func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        guard let number = number(type) else { return [] }
        let table = tables[number]
        guard let column = table.schema.columns.firstIndex(where: { $0.name == column }),
            let index = table.indexes[column]
        else {
            fail(LogFailure(operation: "find", message: "\(table.schema.name) has no such index"))
            return []
        }
        guard let keys = index[BinaryString(value)] else { return [] }
        let found = keys.keys(from: BinaryString(""), limit: limit) { _ in true }
        return found.compactMap { key in table.rows[key].flatMap { known($0) } }
    }

    public func flush(at position: Position) throws(LogFailure) {
        if let failure { throw failure }
        self.position = position
    }

    public func digests() throws(LogFailure) -> [TableDigest] {
        if let failure { throw failure }
        return tables.map { table in
            var digest = RowDigest()
            for key in table.keys.keys(from: BinaryString(""), limit: .max, while: { _ in true }) {
                digest.add(key: key.text, cells: table.rows[key]?.cells ?? [])
            }
            return digest.finish(table: table.schema.name)
        }
    }

    /// Returns an independent copy.
    public func copy() -> MemoryTables {
        MemoryTables(copying: self)
    }

    public func wipe() throws(LogFailure) {
        if let failure { throw failure }
        tables = shape.tables.map(Table.init)
        position = 0
    }
}

extension MemoryTables {
    /// Returns the number of a row type's table; nil, after recording a failure, if it is not declared like that.
    private func number<Row: TableRow>(_ type: Row.Type) -> Int? {
        guard failure == nil else { return nil }
        if let number = numbers[ObjectIdentifier(type)] { return number }
        guard let number = tables.firstIndex(where: { $0.schema.name == Row.schema.name }),
            Row.fits(tables[number].schema)
        else {
            fail(LogFailure(operation: "use a table", RowDecodingError(table: Row.schema.name, key: "")))
            return nil
        }
        numbers[ObjectIdentifier(type)] = number
        return number
    }

    private func known<Row: TableRow>(_ row: any TableRow) -> Row? {
        do throws(LogFailure) {
            return try Row(remembered: row)
        } catch {
            fail(error)
            return nil
        }
    }

    private func fail(_ failure: LogFailure) {
        if self.failure == nil { self.failure = failure }
    }
}
