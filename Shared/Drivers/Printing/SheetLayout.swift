/// The positions of the labels on a page of label paper; in millimetres.
public struct SheetLayout: Equatable, Sendable {
    /// The size of the page.
    public let pageWidth, pageHeight: Double
    /// The number of labels across and down the page.
    public let columns, rows: Int
    /// The size of one label.
    public let labelWidth, labelHeight: Double
    /// The distances from the page's left and upper edge to the first label.
    public let left, top: Double
    /// The distances between the left or upper edges of adjacent labels.
    public let pitchX, pitchY: Double

    /// DIN A4 with 24 labels of 70 × 37 mm, edge to edge in 3 columns and 8 rows.
    public static let a4x24 = SheetLayout(
        page: (210, 297), grid: (3, 8), label: (70, 37), margin: (0, 0.5), pitch: (70, 37))

    /// DIN A4 with 21 labels of 63.5 × 38.1 mm in 3 columns and 7 rows.
    public static let a4x21 = SheetLayout(
        page: (210, 297), grid: (3, 7), label: (63.5, 38.1), margin: (7.25, 15.15), pitch: (66, 38.1))

    /// Labels on one page.
    public var labelsPerPage: Int { columns * rows }

    /// Creates a layout; throws if labels overlap, leave the page or are smaller than a code of 20 mm needs.
    public init(
        pageWidth: Double, pageHeight: Double, columns: Int, rows: Int, labelWidth: Double, labelHeight: Double,
        left: Double, top: Double, pitchX: Double, pitchY: Double
    ) throws(PrintError) {
        let measures = [pageWidth, pageHeight, labelWidth, labelHeight, left, top, pitchX, pitchY]
        guard measures.allSatisfy({ $0.isFinite && (0...2_000).contains($0) }) else { throw .layout("not a measure") }
        guard (1...100).contains(columns), (1...100).contains(rows) else { throw .layout("1 to 100 columns and rows") }
        self.init(
            page: (pageWidth, pageHeight), grid: (columns, rows), label: (labelWidth, labelHeight), margin: (left, top),
            pitch: (pitchX, pitchY))
        guard labelWidth >= LabelDrawing.width * 0.85, labelHeight >= LabelDrawing.height * 0.85 else {
            throw .layout("labels smaller than 59.5 × 31.5 mm")
        }
        guard columns == 1 || pitchX >= labelWidth, rows == 1 || pitchY >= labelHeight else {
            throw .layout("labels overlap")
        }
        let last = origin(of: columns * rows - 1)
        // A tenth of a millimetre is below any printer's precision and above the rounding errors of the sum.
        guard last.x + labelWidth <= pageWidth + 0.1, last.y + labelHeight <= pageHeight + 0.1 else {
            throw .layout("labels off the page")
        }
    }

    private init(
        page: (Double, Double), grid: (Int, Int), label: (Double, Double), margin: (Double, Double),
        pitch: (Double, Double)
    ) {
        (pageWidth, pageHeight) = page
        (columns, rows) = grid
        (labelWidth, labelHeight) = label
        (left, top) = margin
        (pitchX, pitchY) = pitch
    }

    /// Returns the upper left corner of a label, counted from 0 row by row.
    func origin(of index: Int) -> (x: Double, y: Double) {
        (left + Double(index % columns) * pitchX, top + Double(index / columns) * pitchY)
    }
}
