/// Draws labels as files: for a screen, a label printer, or a sheet of label paper.
///
/// The code is at least 20 mm wide at true size, with a quiet zone of four modules.
public enum LabelArtwork {
    /// Returns one label of 70 × 37 mm as SVG; letters are outlines, so it needs no fonts.
    public static func svg(_ label: Label) throws(PrintError) -> [UInt8] {
        let drawing = try LabelDrawing(label)
        let canvas = Canvas.svg(width: LabelDrawing.width, height: LabelDrawing.height)
        canvas.setGrey(1)
        canvas.fill([(x: 0, y: 0, width: LabelDrawing.width, height: LabelDrawing.height)])
        drawing.draw(on: canvas)
        return try canvas.finish()
    }

    /// Returns one label of 70 × 37 mm as PNG, whose stored resolution prints it at true size.
    public static func png(_ label: Label, dotsPerInch: Int = 300) throws(PrintError) -> [UInt8] {
        guard PrintLimits.dotsPerInch.contains(dotsPerInch) else { throw .resolution(dotsPerInch: dotsPerInch) }
        let drawing = try LabelDrawing(label)
        let perMillimetre = Double(dotsPerInch) / 25.4
        let canvas = Canvas.pixels(
            width: Int((LabelDrawing.width * perMillimetre).rounded()),
            height: Int((LabelDrawing.height * perMillimetre).rounded()), perMillimetre: perMillimetre)
        drawing.draw(on: canvas, pixel: 1 / perMillimetre)
        return PNGResolution.stating(dotsPerInch: dotsPerInch, in: try canvas.finishPNG())
    }

    /// Returns labels on sheets of label paper, as PDF, row by row.
    ///
    /// The first `skipping` labels of the first sheet stay empty, because they are already used.
    public static func pdfSheet(
        _ labels: [Label], layout: SheetLayout = .a4x24, skipping: Int = 0
    ) throws(PrintError) -> [UInt8] {
        guard !labels.isEmpty else { throw .emptyText }
        guard labels.count <= PrintLimits.labels else { throw .tooMany(what: "labels", limit: PrintLimits.labels) }
        guard (0..<layout.labelsPerPage).contains(skipping) else {
            throw .layout("no label of the first sheet is free")
        }
        let scale = min(layout.labelWidth / LabelDrawing.width, layout.labelHeight / LabelDrawing.height)
        // Smaller paper gets smaller labels, centred in their places.
        let dx = (layout.labelWidth - LabelDrawing.width * scale) / 2
        let dy = (layout.labelHeight - LabelDrawing.height * scale) / 2
        let canvas = Canvas.pdf(width: layout.pageWidth, height: layout.pageHeight)
        for (index, label) in labels.enumerated() {
            let drawing = try LabelDrawing(label)
            let place = (index + skipping) % layout.labelsPerPage
            let origin = layout.origin(of: place)
            try canvas.within(x: origin.x + dx, y: origin.y + dy, scale: scale) { canvas throws(PrintError) in
                drawing.draw(on: canvas)
            }
            if place == layout.labelsPerPage - 1 || index == labels.count - 1 { try canvas.endPage() }
        }
        return try canvas.finish()
    }
}
