/// A table as CSV (RFC 4180): commas, lines that end in CR LF, and quotes around cells that need them.
struct CSV {
    private(set) var text = ""

    mutating func add(_ cells: [String]) {
        text += cells.map(Self.quoted).joined(separator: ",") + "\r\n"
    }

    /// Returns a text that people entered as a cell. Spreadsheets would run one that begins like a formula, so it gets
    /// an apostrophe.
    static func entered(_ text: String) -> String {
        guard let first = text.first, "=+-@\t\r".contains(first) else { return text }
        return "'" + text
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.contains(where: { "\",\r\n".contains($0) || $0 == "\r\n" }) else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}
