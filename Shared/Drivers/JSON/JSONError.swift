/// What is wrong with a document and where, without a value of the document.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was expected, for example `expected a number`.
    public let message: String
    /// Keys and indices from the root, for example `data/readings/0/value`; empty for the document itself.
    public let path: String

    /// Creates an error at a path.
    public init(message: String, path: String = "") {
        self.message = message
        self.path = path
    }

    public var description: String { path.isEmpty ? message : "\(message) at \(path)" }
}
