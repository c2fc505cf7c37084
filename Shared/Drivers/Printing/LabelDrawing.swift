/// The layout of one label: the code on the left, the text on its right.
///
/// In millimetres on a label of 70 × 37. Nothing dark is nearer than 3.5 mm to an edge, where many office printers
/// cannot print.
struct LabelDrawing {
    static let width = 70.0
    static let height = 37.0

    /// The area of the code with its quiet zone.
    private static let codeSide = 33.0
    private static let codeLeft = 2.0
    /// The area of the text.
    private static let textLeft = 35.5
    private static let textRight = 66.0
    private static let textTop = 5.0
    private static let textBottom = 32.6

    let label: Label
    let symbol: QRSymbol

    init(_ label: Label) throws(PrintError) {
        self.label = label
        symbol = try label.checkedSymbol()
    }

    /// Draws the label; `pixel` is the side of one dot in millimetres, nil on paper.
    func draw(on canvas: borrowing Canvas, pixel: Double? = nil) {
        drawCode(on: canvas, pixel: pixel)
        drawWords(on: canvas)
    }

    /// Draws the code as large as the label allows; in a bitmap each module is a whole number of pixels wide.
    private func drawCode(on canvas: borrowing Canvas, pixel: Double?) {
        let modules = Double(symbol.width + 2 * PrintLimits.quietModules)
        var module = Self.codeSide / modules
        var left = Self.codeLeft
        var top = (Self.height - Self.codeSide) / 2
        if let pixel {
            module = (module / pixel).rounded(.down) * pixel
            left = ((left + (Self.codeSide - module * modules) / 2) / pixel).rounded() * pixel
            top = ((top + (Self.codeSide - module * modules) / 2) / pixel).rounded() * pixel
        }
        let quiet = Double(PrintLimits.quietModules) * module
        canvas.setGrey(0)
        canvas.fill(
            symbol.runs.map { run in
                (
                    x: left + quiet + Double(run.x) * module, y: top + quiet + Double(run.y) * module,
                    width: Double(run.length) * module, height: module
                )
            }, crisp: pixel != nil)
    }

    private func drawWords(on canvas: borrowing Canvas) {
        let width = Self.textRight - Self.textLeft
        let title = TextFitting.block(
            of: [label.title], width: width, height: Self.titleHeight, sizes: Self.titleSizes, bold: true, on: canvas)
        canvas.setGrey(0)
        canvas.setFont(size: title.size, bold: true)
        // Letters without a descender are about three quarters of the font size high.
        var baseline = Self.textTop + title.size * 0.75
        for row in title.rows {
            canvas.write(row, x: Self.textLeft, y: baseline)
            baseline += title.size * TextFitting.leading
        }
        let rule = baseline - title.size * TextFitting.leading + 2.4
        canvas.fill([(x: Self.textLeft, y: rule, width: width, height: 0.25)])
        let height = Self.textBottom - rule - 1.6
        let words = TextFitting.block(
            of: label.lines, width: width, height: height, sizes: Self.lineSizes, bold: false, on: canvas)
        canvas.setFont(size: words.size, bold: false)
        // The rows fill the space below the title, up to a maximum pitch.
        let pitch = min(words.size * 1.5, height / Double(max(1, words.rows.count)))
        baseline = rule + 1.6 + words.size * 0.75
        for row in words.rows {
            canvas.write(row, x: Self.textLeft, y: baseline)
            baseline += pitch
        }
    }

    /// Letters of 12 to 7.5 points, in two rows of the largest or three of the smaller ones.
    private static let titleSizes = [4.2, 3.7, 3.35, 3.0, 2.65]
    private static let titleHeight = 10.9
    /// Letters of 8 down to 5.5 points.
    private static let lineSizes = [2.8, 2.6, 2.4, 2.2, 1.95]
}
