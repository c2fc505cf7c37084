/// Why something cannot be printed.
public enum PrintError: Error, Equatable, Sendable {
    /// A QR code of nothing.
    case emptyText
    /// A zero byte, a line break or another control character, which no label can show.
    case controlCharacter
    /// More characters, lines or labels than fit.
    case tooMany(what: String, limit: Int)
    /// The code would have modules too small to be read by a telephone at the printed size.
    case tooDense(modules: Int, limit: Int)
    /// A resolution outside `PrintLimits.dotsPerInch`.
    case resolution(dotsPerInch: Int)
    /// A sheet whose labels lie off the page, overlap or are too small for a code.
    case layout(String)
    /// A library gave up; `reason` is its own word for it.
    case library(operation: String, reason: String)
}
