/// The content of one label: a QR code and a few lines of text.
///
/// ```
/// let label = Label(url: "HTTPS://FARM.EXAMPLE/L/7", title: "Carrots", lines: ["Lot 7", "Box 3"])
/// let png = try LabelArtwork.png(label)
/// ```
public struct Label: Equatable, Sendable {
    /// The text of the QR code; upper case makes it smaller.
    public let url: String
    /// The name of the product.
    public let title: String
    /// Lot, box, day of harvest, farm: one short line each, `PrintLimits.lines` at most.
    public let lines: [String]

    /// Creates a label; drawing it throws if it does not fit.
    public init(url: String, title: String, lines: [String]) {
        self.url = url
        self.title = title
        self.lines = lines
    }

    /// Returns the QR code; throws if the text exceeds a limit or has a control character.
    func checkedSymbol() throws(PrintError) -> QRSymbol {
        guard lines.count <= PrintLimits.lines else { throw .tooMany(what: "lines", limit: PrintLimits.lines) }
        for text in [title] + lines {
            guard text.count <= PrintLimits.lineCharacters else {
                throw .tooMany(what: "characters in a line", limit: PrintLimits.lineCharacters)
            }
            guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
                throw .controlCharacter
            }
        }
        let symbol = try QRSymbol.encode(url)
        guard symbol.width <= PrintLimits.labelModules else {
            throw .tooDense(modules: symbol.width, limit: PrintLimits.labelModules)
        }
        return symbol
    }
}
