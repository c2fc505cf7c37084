package import EventSourcing

/// The validated tables of a store, and their declarations as one text that is stored to detect a changed shape.
package struct TableShape {
    /// The tables, in order of names.
    package let tables: [TableSchema]
    /// The declarations as one text. Stored rows fit if it is equal to the stored text.
    package let text: String

    /// The table of the position and the shape, whose name no view may use.
    package static let positionTable = "view_position"

    package init(_ tables: [TableSchema]) throws(LogFailure) {
        self.tables = tables.sorted { $0.name < $1.name }
        var lines = ["1"]
        for (index, table) in self.tables.enumerated() {
            let columns = table.columns.map(\.name)
            let isSound =
                Self.isName(table.name) && table.name != Self.positionTable && !table.name.hasPrefix("sqlite")
                && columns.allSatisfy(Self.isName) && Set(columns + ["key"]).count == columns.count + 1
                && table.indexed.allSatisfy { name in table.columns.contains { $0.name == name && $0.kind == .text } }
                && (index == 0 || self.tables[index - 1].name != table.name)
            guard isSound else {
                throw LogFailure(operation: "declare tables", message: "\(table.name) cannot be a table")
            }
            let cells = table.columns.map { "\($0.name) \($0.kind)" }.joined(separator: ",")
            let version = table.version == 1 ? "" : " v\(table.version)"
            lines.append("\(table.name)(\(cells);\(table.indexed.joined(separator: ",")))\(version)")
        }
        text = lines.joined(separator: "\n")
    }

    /// Returns the declaration of each table in a stored text.
    package static func tables(of text: String) -> [String: Substring] {
        let lines = text.split(separator: "\n").dropFirst().map { (String($0.prefix { $0 != "(" }), $0) }
        return Dictionary(lines, uniquingKeysWith: { first, _ in first })
    }

    /// Returns whether a name has only lower-case letters, digits and underscores, at most 60, and starts with a
    /// letter:
    /// both SQL dialects read such names alike.
    private static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain, name.utf8.count <= 60, let first = name.utf8.first else { return false }
        return first >= UInt8(ascii: "a")
    }
}
