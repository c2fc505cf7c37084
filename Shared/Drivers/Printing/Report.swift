/// A printed report: rows in groups, each row with a picture if it has one.
public struct Report: Sendable {
    /// One thing that the report is about.
    public struct Row: Sendable {
        /// Bold, on one line.
        public var title: String
        /// What stands at the right of the title.
        public var note: String?
        public var lines: [String]
        public var picture: PrintablePicture?

        public init(title: String, note: String? = nil, lines: [String] = [], picture: PrintablePicture? = nil) {
            self.title = title
            self.note = note
            self.lines = lines
            self.picture = picture
        }
    }

    /// Rows under a heading; without rows the heading is left out.
    public struct Group: Sendable {
        public var title: String
        public var rows: [Row]

        public init(title: String, rows: [Row]) {
            self.title = title
            self.rows = rows
        }
    }

    public var title: String
    /// Paragraphs under the title.
    public var lines: [String]
    public var groups: [Group]
    /// What stands below each page; `{0}` stands for its number.
    public var page: String

    public init(title: String, lines: [String], groups: [Group], page: String = "Page {0}") {
        self.title = title
        self.lines = lines
        self.groups = groups
        self.page = page
    }
}

/// Draws reports as PDF on A4 pages.
public enum ReportArtwork {
    private static let (width, height, margin) = (210.0, 297.0, 15.0)
    private static let picture = 18.0

    /// Returns the report as PDF, with page numbers. Throws if it has more than `PrintLimits.reportRows` rows.
    public static func pdf(_ report: Report) throws(PrintError) -> [UInt8] {
        let rows = report.groups.reduce(0) { $0 + $1.rows.count }
        guard rows <= PrintLimits.reportRows else { throw .tooMany(what: "rows", limit: PrintLimits.reportRows) }
        let canvas = Canvas.pdf(width: width, height: height)
        var page = Page(footer: report.page)
        page.begin(on: canvas)
        page.write(report.title, size: 7, bold: true, after: 3, on: canvas)
        for line in report.lines { page.write(line, size: 3.4, bold: false, after: 1, on: canvas) }
        for group in report.groups where !group.rows.isEmpty {
            try page.make(room: 24, on: canvas)
            page.y += 5
            page.write("\(group.title) (\(group.rows.count))", size: 5, bold: true, after: 2, on: canvas)
            for row in group.rows { try draw(row, on: &page, canvas) }
        }
        try canvas.endPage()
        return try canvas.finish()
    }

    private static func draw(_ row: Report.Row, on page: inout Page, _ canvas: borrowing Canvas) throws(PrintError) {
        let left = margin + picture + 4
        let column = width - margin - left
        canvas.setFont(size: 3.4, bold: false)
        let noteWidth = row.note.map { canvas.width(of: $0) } ?? 0
        let text = row.lines.flatMap { paragraph in
            TextFitting.block(of: [paragraph], width: column, height: 12, sizes: [3.2], bold: false, on: canvas).rows
        }
        let high = max(row.picture == nil ? 0 : picture, 5 + Double(text.count) * 4) + 4
        try page.make(room: high, on: canvas)
        canvas.setGrey(0.8)
        canvas.fill([(x: margin, y: page.y, width: width - 2 * margin, height: 0.2)])
        canvas.setGrey(0)
        if let image = row.picture { canvas.draw(image, x: margin, y: page.y + 2, side: picture) }
        let title = TextFitting.block(
            of: [row.title], width: column - noteWidth - 3, height: 5, sizes: [4, 3.4, 3], bold: true, on: canvas)
        canvas.setFont(size: title.size, bold: true)
        canvas.write(title.rows.first ?? "", x: left, y: page.y + 6)
        canvas.setFont(size: 3.4, bold: false)
        if let note = row.note { canvas.write(note, x: width - margin - noteWidth, y: page.y + 6) }
        canvas.setFont(size: 3.2, bold: false)
        for (number, line) in text.enumerated() {
            canvas.write(line, x: left, y: page.y + 10.5 + Double(number) * 4)
        }
        page.y += high
    }

    /// The current page, and the height at which the next part begins.
    private struct Page {
        var y = 0.0
        private let footer: String
        private var number = 0

        init(footer: String) { self.footer = footer }

        mutating func begin(on canvas: borrowing Canvas) {
            number += 1
            y = margin
            canvas.setGrey(0.4)
            canvas.setFont(size: 3, bold: false)
            let text = footer.replacing("{0}", with: String(number))
            canvas.write(text, x: width - margin - canvas.width(of: text), y: height - 8)
            canvas.setGrey(0)
        }

        /// Begins a new page if less than `room` is left.
        mutating func make(room: Double, on canvas: borrowing Canvas) throws(PrintError) {
            guard y + room > height - margin else { return }
            try canvas.endPage()
            begin(on: canvas)
        }

        mutating func write(
            _ text: String, size: Double, bold: Bool, after: Double, on canvas: borrowing Canvas
        ) {
            let block = TextFitting.block(
                of: [text], width: width - 2 * margin, height: 40, sizes: [size], bold: bold, on: canvas)
            canvas.setGrey(0)
            canvas.setFont(size: block.size, bold: bold)
            for row in block.rows {
                y += block.size * TextFitting.leading
                canvas.write(row, x: margin, y: y)
            }
            y += after
        }
    }
}
