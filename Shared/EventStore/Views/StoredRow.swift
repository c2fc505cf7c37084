package import EventSourcing

/// Rows as every engine of tables reads and remembers them.
extension TableRow {
    /// What is stored under a key.
    package init(stored key: String, _ cells: [Cell]) throws(LogFailure) {
        do throws(RowDecodingError) {
            try self.init(key: key, cells: cells)
        } catch {
            throw LogFailure(operation: "read a row", error)
        }
    }

    /// A remembered row: itself, or what its cells say where another type shares the table.
    package init(remembered row: any TableRow) throws(LogFailure) {
        if let row = row as? Self {
            self = row
        } else {
            try self.init(stored: row.key, row.cells)
        }
    }

    /// Whether a table takes such rows.
    package static func fits(_ table: TableSchema) -> Bool {
        table.columns.elementsEqual(schema.columns) { $0.kind == $1.kind }
    }

    /// Whether the cells fit the table and read as this very row. Asked of every row that is put into tables, in debug
    /// builds alone: a remembered row must not know more than a stored one.
    package var isWhole: Bool {
        let (cells, columns) = (cells, Self.schema.columns)
        guard cells.count == columns.count else { return false }
        var isNumber = true
        for index in cells.indices {
            switch (cells[index], columns[index].kind) {
            case (.null, _), (.integer, .integer), (.text, .text): continue
            case (.real(let value), .real): isNumber = isNumber && !value.isNaN
            default: return false
            }
        }
        do throws(RowDecodingError) {
            // What is not a number is not equal to itself either.
            return try Self(key: key, cells: cells) == self || !isNumber
        } catch {
            return false
        }
    }
}

extension LogFailure {
    /// A row that its table or its type does not take.
    package init(operation: String, _ row: RowDecodingError) {
        self.init(operation: operation, message: "\(row.table): not declared, or a row has another shape")
    }
}
