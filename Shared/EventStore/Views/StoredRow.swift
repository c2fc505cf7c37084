package import EventSourcing

// Rows as every storage of tables reads and caches them.
extension TableRow {
    /// Decodes the row that is stored under a key.
    package init(stored key: String, _ cells: [Cell]) throws(LogFailure) {
        do throws(RowDecodingError) {
            try self.init(key: key, cells: cells)
        } catch {
            throw LogFailure(operation: "read a row", error)
        }
    }

    /// Converts a cached row: returns it unchanged, or decodes its cells if another type shares the table.
    package init(remembered row: any TableRow) throws(LogFailure) {
        if let row = row as? Self {
            self = row
        } else {
            try self.init(stored: row.key, row.cells)
        }
    }

    /// Returns whether a table has the columns of this row type.
    package static func fits(_ table: TableSchema) -> Bool {
        table.columns.elementsEqual(schema.columns) { $0.kind == $1.kind }
    }

    /// Whether the cells fit the table and decode to an equal row.
    ///
    /// It is checked for every row that is put, in debug builds only: a cached row must not differ from the stored one.
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
            // NaN is not equal to itself.
            return try Self(key: key, cells: cells) == self || !isNumber
        } catch {
            return false
        }
    }
}

extension LogFailure {
    /// Describes a row that does not fit its table or its type.
    package init(operation: String, _ row: RowDecodingError) {
        self.init(operation: operation, message: "\(row.table): not declared, or a row is malformed")
    }
}
