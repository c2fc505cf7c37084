import Foundation
import Printing
import Testing

@Suite("Sheets of labels")
struct SheetLayoutTests {
    @Test func `25 labels are printed on two pages and all can be scanned`() throws {
        let labels = (1...25).map(Example.label)
        let pdf = try LabelArtwork.pdfSheet(labels)
        print("PDF of 25 labels: \(pdf.count) bytes")
        try Reader.withFolder { folder in
            let file = folder.appending(path: "labels.pdf")
            try Data(pdf).write(to: file)
            guard let facts = try Reader.run("pdfinfo", [file.path]) else { return }
            #expect(facts.contains(#/Pages: +2\n/#))
            #expect(facts.contains("(A4)"))
            let root = folder.appending(path: "page").path
            guard try Reader.run("pdftoppm", ["-png", "-r", "300", file.path, root]) != nil,
                let first = try Reader.texts(in: folder.appending(path: "page-1.png")),
                let second = try Reader.texts(in: folder.appending(path: "page-2.png"))
            else { return }
            #expect(first == labels[..<24].map(\.url).sorted())
            #expect(second == [labels[24].url])
            print("Codes read from the sheet: \(first.count + second.count)")
            #expect(first.count + second.count >= 25)
            let words = try #require(try Reader.run("pdftotext", [file.path, "-"]))
            for word in ["Lot 2026-TOM-08", "Box 25 of 25", "Höhenhof, Wernigerode"] { #expect(words.contains(word)) }
        }
    }

    @Test func `places that are already used stay empty`() throws {
        let labels = (1...3).map(Example.label)
        try Reader.withFolder { folder in
            let file = folder.appending(path: "labels.pdf")
            try Data(LabelArtwork.pdfSheet(labels, layout: .a4x21, skipping: 19)).write(to: file)
            let facts = try Reader.run("pdfinfo", [file.path])
            #expect(facts?.contains(#/Pages: +2\n/#) ?? true)
        }
        #expect(throws: PrintError.self) { try LabelArtwork.pdfSheet(labels, skipping: 24) }
        #expect(throws: PrintError.self) { try LabelArtwork.pdfSheet(labels, skipping: -1) }
    }

    @Test func `a sheet without labels or with too many is refused`() {
        #expect(throws: PrintError.emptyText) { try LabelArtwork.pdfSheet([]) }
        #expect(throws: PrintError.tooMany(what: "labels", limit: 5_000)) {
            try LabelArtwork.pdfSheet([Label](repeating: Example.label(), count: 5_001))
        }
        #expect(throws: PrintError.self) {
            try LabelArtwork.pdfSheet([Example.label(), Label(url: "", title: "", lines: [])])
        }
    }

    @Test func `a thousand labels are printed within the time limit`() throws {
        let labels = (0..<1_000).map(Example.label)
        let clock = ContinuousClock()
        var size = 0
        let time = try clock.measure { size = try LabelArtwork.pdfSheet(labels).count }
        print("PDF of 1000 labels: \(time), \(size) bytes")
        #expect(time < .seconds(60) && size < 20_000_000)
    }

    @Test func `a layout is accepted for any paper on which the labels fit`() throws {
        func layout(
            page: (Double, Double) = (100, 100), grid: (Int, Int) = (1, 2), label: (Double, Double) = (70, 37),
            margin: Double = 5, pitch: Double = 40
        ) throws(PrintError) -> SheetLayout {
            try SheetLayout(
                pageWidth: page.0, pageHeight: page.1, columns: grid.0, rows: grid.1, labelWidth: label.0,
                labelHeight: label.1, left: margin, top: margin, pitchX: pitch, pitchY: pitch)
        }
        #expect(try layout().labelsPerPage == 2)
        #expect(throws: PrintError.layout("labels off the page")) { try layout(grid: (1, 3)) }
        #expect(throws: PrintError.layout("labels overlap")) { try layout(pitch: 36) }
        #expect(throws: PrintError.layout("labels smaller than 59.5 × 31.5 mm")) { try layout(label: (40, 37)) }
        for page in [(Double.nan, 100.0), (.infinity, 100), (-1, 100), (100, 1e9)] {
            #expect(throws: PrintError.layout("not a measure")) { try layout(page: page) }
        }
        for grid in [(0, 1), (1, -1), (Int.max, 2)] {
            #expect(throws: PrintError.layout("1 to 100 columns and rows")) { try layout(grid: grid) }
        }
        let standard = SheetLayout.a4x24
        #expect(
            try SheetLayout(
                pageWidth: 210, pageHeight: 297, columns: 3, rows: 8, labelWidth: 70, labelHeight: 37, left: 0,
                top: 0.5, pitchX: 70, pitchY: 37) == standard)
    }
}
