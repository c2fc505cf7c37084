import CQREncode
import Glibc

/// A QR code: a square of dark and light modules that telephones read (ISO/IEC 18004).
public struct QRSymbol: Equatable, Sendable {
    /// The level of error correction.
    public enum Level: Sendable, CaseIterable {
        /// About 7, 15, 25 and 30 percent of the code words.
        case low, medium, quartile, high
    }

    /// Modules along one side, without the quiet zone: 17 + 4 × version.
    public let width: Int
    private let modules: [Bool]

    /// The version, 1 to 40.
    public var version: Int { (width - 17) / 4 }

    /// Whether the module in column `x` and row `y`, from the top left, is dark; everything outside is light.
    public subscript(x x: Int, y y: Int) -> Bool {
        (0..<width).contains(x) && (0..<width).contains(y) && modules[y * width + x]
    }

    /// Returns the smallest code that fits the text at a level.
    ///
    /// Runs of digits and of `0–9 A–Z $%*+-./:` and space are encoded more compactly than other bytes. An upper-case
    /// URL therefore makes a smaller code; the text itself is never changed. Non-ASCII text is encoded as UTF-8.
    public static func encode(_ text: String, level: Level = .medium) throws(PrintError) -> QRSymbol {
        guard !text.isEmpty else { throw .emptyText }
        guard !text.utf8.contains(0) else { throw .controlCharacter }
        guard text.utf8.count <= PrintLimits.textBytes else {
            throw .tooMany(what: "bytes of text", limit: PrintLimits.textBytes)
        }
        // The last argument, 1, makes it case-sensitive; otherwise libqrencode would convert the text to upper case.
        guard let code = unsafe QRcode_encodeString(text, 0, level.library, QR_MODE_8, 1) else {
            guard errno != ERANGE else { throw .tooMany(what: "bytes of text", limit: PrintLimits.textBytes) }
            throw .library(operation: "QR code", reason: unsafe String(cString: strerror(errno)))
        }
        defer { unsafe QRcode_free(code) }
        let width = Int(unsafe code.pointee.width)
        let bytes = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        return QRSymbol(width: width, modules: unsafe bytes.map { $0 & 1 == 1 })
    }

    private init(width: Int, modules: [Bool]) {
        self.width = width
        self.modules = modules
    }

    /// The runs of dark modules, row by row: fewer shapes to draw than single modules.
    var runs: [Run] {
        var runs: [Run] = []
        for y in 0..<width {
            var x = 0
            while x < width {
                let start = x
                while self[x: x, y: y] { x += 1 }
                if x > start { runs.append(Run(x: start, y: y, length: x - start)) }
                x += 1
            }
        }
        return runs
    }

    /// Adjacent dark modules of one row.
    struct Run {
        let x, y, length: Int
    }
}

extension QRSymbol.Level {
    fileprivate var library: QRecLevel {
        switch self {
        case .low: QR_ECLEVEL_L
        case .medium: QR_ECLEVEL_M
        case .quartile: QR_ECLEVEL_Q
        case .high: QR_ECLEVEL_H
        }
    }
}
