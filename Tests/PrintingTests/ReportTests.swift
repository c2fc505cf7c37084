import Testing

@testable import Printing

@Suite("Reports on paper")
struct ReportTests {
    /// A PNG of one red pixel.
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1,
        8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0xCF,
        0xC0, 0, 0, 3, 1, 1, 0, 0xC9, 0xFE, 0x92, 0xEF, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    @Test("A report of a hundred rows with pictures is a PDF file")
    func manyRows() throws {
        let picture = PrintablePicture(Self.png)
        #expect(picture?.width == 1 && picture?.height == 1)
        let rows = (0..<100).map {
            Report.Row(title: "Tool \($0)", note: "49.90 EUR", lines: ["Seen once by one person"], picture: picture)
        }
        let pdf = try ReportArtwork.pdf(
            Report(title: "Autumn", lines: ["100 of 100 found"], groups: [Report.Group(title: "Found", rows: rows)]))
        #expect(pdf.starts(with: Array("%PDF-".utf8)))
        #expect(pdf.count > 10_000)
    }

    @Test("A picture of another format, a damaged one, and one that is too large cannot be printed")
    func pictures() {
        #expect(PrintablePicture(Array("GIF89a..............................".utf8)) == nil)
        #expect(PrintablePicture(Array(Self.png.prefix(20))) == nil)
        var large = Self.png
        large[16] = 1
        #expect(PrintablePicture(large) == nil)
        // 4096 by 2048 pixels: few bytes, and 32 MB when decoded.
        var wide = Self.png
        (wide[18], wide[19], wide[22], wide[23]) = (0x10, 0, 0x08, 0)
        #expect(PrintablePicture(wide) == nil)
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 17, 8, 0, 3, 0, 5, 3, 0, 0]
        #expect(PrintablePicture(jpeg)?.width == 5 && PrintablePicture(jpeg)?.height == 3)
        #expect(PrintablePicture(Array(jpeg.prefix(14))) == nil)
    }

    @Test("A report with more rows than the limit is refused")
    func limit() {
        let row = Report.Row(title: "a")
        let group = Report.Group(title: "b", rows: Array(repeating: row, count: PrintLimits.reportRows + 1))
        #expect(throws: PrintError.tooMany(what: "rows", limit: PrintLimits.reportRows)) {
            try ReportArtwork.pdf(Report(title: "c", lines: [], groups: [group]))
        }
    }
}
