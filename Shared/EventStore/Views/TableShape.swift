package import EventSourcing

/// The declared tables of a store: checked, and spelled as one text that tells a changed shape from a kept one.
package struct TableShape {
    /// In order of names.
    package let tables: [TableSchema]
    /// Equal texts mean that stored rows fit.
    package let text: String

    /// The table that holds the position and the shape; no view may have it.
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

    /// What a spelled shape says of each of its tables.
    package static func tables(of text: String) -> [String: Substring] {
        let lines = text.split(separator: "\n").dropFirst().map { (String($0.prefix { $0 != "(" }), $0) }
        return Dictionary(lines, uniquingKeysWith: { first, _ in first })
    }

    /// Lower-case letters, digits and underscores, at most 60: what both SQL dialects take the same way.
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
