/// Lines of Swift source, indented by four spaces a level.
struct SwiftText {
    /// The longest line, in characters.
    static let width = 120

    private(set) var lines: [String] = []
    private var depth = 0

    /// The source with a final newline.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Adds a line; an empty one has no indentation.
    mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: depth) + text)
    }

    /// Adds a label and a statement: on one line if it is short enough, otherwise the statement on its own.
    mutating func statement(_ label: String, _ statement: String) {
        let short = "\(label) \(statement)"
        guard depth * 4 + short.count > Self.width else { return line(short) }
        line(label)
        line("    " + statement)
    }

    /// Adds a line that opens a block, what `body` adds, and the closing brace.
    mutating func block(_ opening: String, _ body: (inout SwiftText) -> Void) {
        group(opening + " {", "}", body)
    }

    /// Adds a line, what `body` adds one level deeper, and a line.
    mutating func group(_ opening: String, _ closing: String, _ body: (inout SwiftText) -> Void) {
        line(opening)
        indented(closing, body)
    }

    /// Adds what `body` adds one level deeper.
    mutating func deeper(_ body: (inout SwiftText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Adds what `body` adds one level deeper, and a line.
    mutating func indented(_ closing: String, _ body: (inout SwiftText) -> Void) {
        deeper(body)
        line(closing)
    }

    /// Adds a documentation comment; its paragraphs are separated by empty lines.
    mutating func documentation(_ text: String) {
        for (index, paragraph) in text.split(separator: "\n\n").enumerated() {
            if index > 0 { line("///") }
            let words = paragraph.split { $0 == " " || $0 == "\n" }.map(String.init)
            for text in filled(words, width: Self.width - depth * 4 - 4, separator: "") { line("/// " + text) }
        }
    }

    /// Adds `opening`, `items` separated by commas, and `closing`: on one line if it is short enough, otherwise with
    /// the items on lines of their own.
    ///
    /// - Parameter final: what follows the last item, if the items are on lines of their own: a comma, or `closing` in
    ///   a call, which then has no line of its own.
    mutating func list(_ opening: String, _ items: [String], _ closing: String, final: String = "") {
        let short = opening + items.joined(separator: ", ") + closing
        guard depth * 4 + short.count > Self.width else { return line(short) }
        line(opening)
        depth += 1
        var rows = filled(items, width: Self.width - depth * 4 - final.count, separator: ",")
        // A closing bracket that does not fit behind an item that is too long anyway stands alone.
        let fits = final != closing || depth * 4 + rows[rows.count - 1].count + final.count <= Self.width
        if fits { rows[rows.count - 1] += final }
        for row in rows { line(row) }
        depth -= 1
        if final != closing || !fits { line(closing) }
    }

    /// Returns lines with as many items as fit; each item but the last ends with the separator.
    private func filled(_ items: [String], width: Int, separator: String) -> [String] {
        var rows: [String] = []
        for (index, item) in items.enumerated() {
            let word = index == items.count - 1 ? item : item + separator
            if let last = rows.last, last.count + 1 + word.count <= width {
                rows[rows.count - 1] += " " + word
            } else {
                rows.append(word)
            }
        }
        return rows
    }
}
