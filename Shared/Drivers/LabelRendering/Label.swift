/// What is printed on one label: a code to scan and a few words for those who don't.
public struct Label: Equatable, Sendable {
    /// What the code says; upper case makes it smaller.
    public let url: String
    /// The product.
    public let title: String
    /// Lot, box, day of harvest, farm: one short line each, `PrintLimits.lines` at most.
    public let lines: [String]

    public init(url: String, title: String, lines: [String]) {
        self.url = url
        self.title = title
        self.lines = lines
    }

    /// The code of a label whose words fit on it.
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
