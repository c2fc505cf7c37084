/// Why something cannot be printed.
public enum PrintError: Error, Equatable, Sendable {
    /// An empty text for a QR code, or no labels.
    case emptyText
    /// A NUL, a line break or another control character, which no label can show.
    case controlCharacter
    /// More characters, lines or labels than fit.
    case tooMany(what: String, limit: Int)
    /// The modules of the code would be too small for a telephone at the printed size.
    case tooDense(modules: Int, limit: Int)
    /// A resolution outside `PrintLimits.dotsPerInch`.
    case resolution(dotsPerInch: Int)
    /// A sheet whose labels are off the page, overlap or are too small for a code.
    case layout(String)
    /// A library failed; `reason` is its own message.
    case library(operation: String, reason: String)
}
