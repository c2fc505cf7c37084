import Foundation
import Printing
import Testing

@Suite("QR codes")
struct QRSymbolTests {
    /// Texts of every kind; scanning must return each unchanged.
    static let texts = [
        "A", "7", "0123456789", "HTTPS://F.EXAMPLE/S1", "https://f.example/s1", "Mixed CASE and 0123456789 digits",
        "HTTPS://F.EXAMPLE/lower/and/UPPER", "lot,with;signs?&=#%20", "Höhenhof 🍅", "番茄", " leading and trailing ",
        String(repeating: "0123456789", count: 60), String(repeating: "ABC:", count: 250),
    ]

    @Test(arguments: texts) func `scanning a QR code returns its text unchanged`(_ text: String) throws {
        try Reader.withFolder { folder in
            for level in QRSymbol.Level.allCases {
                let file = folder.appending(path: "code.pgm")
                try Reader.picture(of: QRSymbol.encode(text, level: level)).write(to: file)
                guard let read = try Reader.texts(in: file) else { return }
                #expect(read == [text], "\(level)")
            }
        }
    }

    @Test func `a signed upper-case link of 172 characters fits version 7`() throws {
        let url = Example.url()
        #expect(url.count == 172)
        let symbol = try QRSymbol.encode(url, level: .medium)
        print("QR of \(url.count) upper-case characters: \(symbol.width) modules, version \(symbol.version)")
        #expect(symbol.width <= 45)
        #expect(symbol.version <= 7)
        #expect(try QRSymbol.encode(url.lowercased()).width > symbol.width)
    }

    @Test func `a QR code has three finder patterns and is light outside`() throws {
        let symbol = try QRSymbol.encode("FURROW")
        let last = symbol.width - 1
        for (x, y) in [(0, 0), (last, 0), (0, last)] { #expect(symbol[x: x, y: y]) }
        for (x, y) in [(-1, 0), (0, -1), (last + 1, 0), (0, last + 1), (Int.max, Int.min)] {
            #expect(!symbol[x: x, y: y])
        }
    }

    @Test func `a QR code of an empty text, a NUL or too long a text is refused`() {
        #expect(throws: PrintError.emptyText) { try QRSymbol.encode("") }
        #expect(throws: PrintError.controlCharacter) { try QRSymbol.encode("a\0b") }
        for count in [2_954, 100_000] {
            #expect(throws: PrintError.tooMany(what: "bytes of text", limit: 2_953)) {
                try QRSymbol.encode(String(repeating: "x", count: count), level: .low)
            }
        }
        #expect(throws: PrintError.tooMany(what: "bytes of text", limit: 2_953)) {
            try QRSymbol.encode(String(repeating: "x", count: 2_900), level: .high)
        }
        #expect(throws: Never.self) { try QRSymbol.encode(String(repeating: "x", count: 2_953), level: .low) }
    }

    @Test func `a lower level of error correction holds a longer text`() throws {
        let widths = try QRSymbol.Level.allCases.map { try QRSymbol.encode(Example.url(), level: $0).width }
        #expect(widths == widths.sorted() && Set(widths).count == widths.count)
    }
}
