import Foundation
import Printing
import Testing

@Suite("Labels")
struct LabelArtworkTests {
    @Test(arguments: [150, 203, 300, 600])
    func `the QR code of a PNG label can be scanned at every resolution`(_ dotsPerInch: Int) throws {
        try Reader.withFolder { folder in
            let png = try LabelArtwork.png(Example.label(), dotsPerInch: dotsPerInch)
            let file = folder.appending(path: "label.png")
            try Data(png).write(to: file)
            guard let read = try Reader.texts(in: file) else { return }
            #expect(read == [Example.url()])
        }
    }

    @Test func `a label is printed at its true size, 70 by 37 millimetres`() throws {
        let png = try LabelArtwork.png(Example.label())
        func number(at offset: Int) -> Int { png[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
        #expect(number(at: 16) == 827)
        #expect(number(at: 20) == 437)
        #expect(Array(png[37..<41]) == Array("pHYs".utf8))
        #expect(number(at: 41) == 11_811)
        try Reader.withFolder { folder in
            let file = folder.appending(path: "label.svg")
            try Data(LabelArtwork.svg(Example.label())).write(to: file)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("width=\"198.42"), "70 mm are 198.42 points")
            #expect(text.contains("height=\"104.88"), "37 mm are 104.88 points")
        }
    }

    /// Twelve links of 1 to 340 characters: codes from version 1 to the densest on a label.
    @Test func `the code on a label is at least 20 millimetres wide and has a light margin`() throws {
        var checked = 0
        for length in [1, 20, 40, 60, 80, 110, 140, 172, 210, 250, 300, 340] {
            let url = String((Example.url() + Example.url()).prefix(length))
            let symbol = try QRSymbol.encode(url)
            guard let side = try darkBox(of: Label(url: url, title: "", lines: []), dotsPerInch: 600) else { return }
            let module = side.width / Double(symbol.width)
            #expect(side.width >= 20 && abs(side.width - side.height) < 0.1, "\(length)")
            #expect(module >= 0.375, "\(length): \(module) mm")
            #expect(side.left >= 4 * module && side.left >= 3.5, "\(length)")
            checked += 1
        }
        print("Codes on labels: \(checked) measured")
        #expect(checked >= 12)
    }

    @Test func `the QR code of an SVG label can be scanned`() throws {
        try Reader.withFolder { folder in
            let svg = folder.appending(path: "label.svg")
            let png = folder.appending(path: "label.png")
            try Data(LabelArtwork.svg(Example.label())).write(to: svg)
            let arguments = ["--zoom", "4", "--output", png.path, svg.path]
            guard try Reader.run("rsvg-convert", arguments) != nil, let read = try Reader.texts(in: png) else { return }
            #expect(read == [Example.url()])
        }
    }

    @Test func `a label accepts any words and shortens those that are too long`() throws {
        let long = String(repeating: "Wassermelonen ", count: 14)
        let labels = [
            Label(url: Example.url(), title: "", lines: []),
            Label(url: Example.url(), title: long, lines: [long, long, long, long, long, long]),
            Label(
                url: Example.url(), title: String(repeating: "W", count: 200),
                lines: [String(repeating: "W", count: 200)]),
            Label(url: Example.url(), title: "番茄 🍅", lines: ["", " ", "Παραγωγός"]),
        ]
        try Reader.withFolder { folder in
            for label in labels {
                let file = folder.appending(path: "label.png")
                try Data(LabelArtwork.png(label)).write(to: file)
                guard let read = try Reader.texts(in: file) else { return }
                #expect(read == [Example.url()])
            }
        }
    }

    @Test func `a label whose code would be unreadable is refused`() {
        func label(url: String = "X", title: String = "", lines: [String] = []) -> Label {
            Label(url: url, title: title, lines: lines)
        }
        #expect(throws: PrintError.tooMany(what: "lines", limit: 6)) {
            try LabelArtwork.svg(label(lines: [String](repeating: "x", count: 7)))
        }
        #expect(throws: PrintError.tooMany(what: "characters in a line", limit: 200)) {
            try LabelArtwork.png(label(title: String(repeating: "x", count: 201)))
        }
        for text in ["a\0b", "a\nb", "a\u{1B}b"] {
            #expect(throws: PrintError.controlCharacter) { try LabelArtwork.svg(label(title: text)) }
            #expect(throws: PrintError.controlCharacter) { try LabelArtwork.svg(label(lines: [text])) }
        }
        #expect(throws: PrintError.emptyText) { try LabelArtwork.svg(label(url: "")) }
        #expect(throws: PrintError.tooDense(modules: 93, limit: 73)) {
            try LabelArtwork.svg(label(url: String(repeating: "x", count: 600)))
        }
        for dots in [-1, 0, 149, 1_201, Int.max] {
            #expect(throws: PrintError.resolution(dotsPerInch: dots)) {
                try LabelArtwork.png(label(), dotsPerInch: dots)
            }
        }
    }

    @Test func `labels can be drawn by many threads at once`() async throws {
        let expected = try LabelArtwork.png(Example.label(), dotsPerInch: 150)
        let same = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask { try LabelArtwork.png(Example.label(), dotsPerInch: 150) == expected }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(same)
    }

    /// Returns the bounding box of the dark code on a label without words, in millimetres, measured after poppler has
    /// rendered the PDF as a grey bitmap.
    private func darkBox(
        of label: Label, dotsPerInch: Int
    ) throws -> (left: Double, width: Double, height: Double)? {
        var box: (left: Double, width: Double, height: Double)?
        try Reader.withFolder { folder in
            let pdf = folder.appending(path: "sheet.pdf")
            try Data(LabelArtwork.pdfSheet([label])).write(to: pdf)
            let root = folder.appending(path: "page").path
            let arguments = ["-gray", "-r", "\(dotsPerInch)", "-x", "0", "-y", "0", "-W", "820", "-H", "900"]
            guard try Reader.run("pdftoppm", arguments + ["-singlefile", pdf.path, root]) != nil else { return }
            let picture = [UInt8](try Data(contentsOf: URL(filePath: root + ".pgm")))
            let pixels = picture.suffix(820 * 900)
            let dark = pixels.indices.filter { pixels[$0] < 128 }.map { $0 - pixels.startIndex }
            let (columns, rows) = (dark.map { $0 % 820 }, dark.map { $0 / 820 })
            let left = try #require(columns.min())
            let width = try #require(columns.max()) - left + 1
            let height = try #require(rows.max()) - #require(rows.min()) + 1
            let perMillimetre = Double(dotsPerInch) / 25.4
            box = (Double(left) / perMillimetre, Double(width) / perMillimetre, Double(height) / perMillimetre)
        }
        return box
    }
}
