import EventSourcing

/// Tables that count how often a page of each is read.
final class CountedTables: Tables {
    private let tables: any Tables
    private(set) var scans: [String: Int] = [:]

    init(_ tables: any Tables) { self.tables = tables }

    func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? { tables.get(type, key) }
    func put(_ row: some TableRow) { tables.put(row) }
    func remove<Row: TableRow>(_ type: Row.Type, _ key: String) { tables.remove(type, key) }

    func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        scans[Row.schema.name, default: 0] += 1
        return tables.scan(type, prefix: prefix, after: after, limit: limit)
    }

    func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        tables.find(type, where: column, is: value, limit: limit)
    }
}
