/// Fits text into a column: first with smaller letters, then by breaking between words, then within words.
///
/// Text that still does not fit is cut, with an ellipsis. All sizes are in millimetres.
enum TextFitting {
    /// Rows in one font size.
    struct Block {
        let rows: [String]
        let size: Double
    }

    /// Returns the paragraphs, each from a new row, in the largest font size that fits the width and height.
    static func block(
        of paragraphs: [String], width: Double, height: Double, sizes: [Double], bold: Bool,
        on canvas: borrowing Canvas
    ) -> Block {
        for breaking in Breaking.allCases {
            for size in sizes {
                canvas.setFont(size: size, bold: bold)
                var rows: [String] = []
                for paragraph in paragraphs { rows += broken(paragraph, breaking, width: width, on: canvas) }
                let high = Double(rows.count) * size * leading
                if high <= height, fit(rows, width: width, on: canvas) { return Block(rows: rows, size: size) }
            }
        }
        let size = sizes.last ?? 2
        canvas.setFont(size: size, bold: bold)
        return Block(
            rows: shortened(paragraphs, to: Int(height / (size * leading)), width: width, on: canvas), size: size)
    }

    /// Returns at least one row for each paragraph, more while spare rows are left, and cuts the rest.
    private static func shortened(
        _ paragraphs: [String], to rowsMax: Int, width: Double, on canvas: borrowing Canvas
    ) -> [String] {
        var spare = rowsMax - paragraphs.count
        var rows: [String] = []
        for paragraph in paragraphs {
            let all = broken(paragraph, .withinWords, width: width, on: canvas)
            let count = min(all.count, 1 + max(0, spare))
            spare -= count - 1
            rows += all.prefix(count)
            if count < all.count { rows[rows.count - 1] = cut(all[count - 1], to: width, on: canvas) }
        }
        return rows
    }

    /// The distance between base lines, as a multiple of the font size.
    static let leading = 1.2

    private enum Breaking: CaseIterable {
        case nowhere, betweenWords, withinWords
    }

    private static func fit(_ rows: [String], width: Double, on canvas: borrowing Canvas) -> Bool {
        for row in rows where canvas.width(of: row) > width { return false }
        return true
    }

    private static func broken(
        _ text: String, _ breaking: Breaking, width: Double, on canvas: borrowing Canvas
    ) -> [String] {
        guard breaking != .nowhere, canvas.width(of: text) > width else { return [text] }
        var rows: [String] = []
        for word in text.split(separator: " ") {
            if let row = rows.last, canvas.width(of: row + " " + word) <= width {
                rows[rows.count - 1] = row + " " + word
            } else if breaking == .withinWords {
                rows += pieces(of: word, width: width, on: canvas)
            } else {
                rows.append(String(word))
            }
        }
        return rows
    }

    private static func pieces(of word: Substring, width: Double, on canvas: borrowing Canvas) -> [String] {
        var pieces = [""]
        for letter in word {
            let longer = pieces[pieces.count - 1] + String(letter)
            if pieces[pieces.count - 1].isEmpty || canvas.width(of: longer) <= width {
                pieces[pieces.count - 1] = longer
            } else {
                pieces.append(String(letter))
            }
        }
        return pieces
    }

    /// Returns the row shortened until it fits with an ellipsis.
    private static func cut(_ row: String, to width: Double, on canvas: borrowing Canvas) -> String {
        var row = row
        while !row.isEmpty, canvas.width(of: row + "…") > width { row.removeLast() }
        return row + "…"
    }
}
