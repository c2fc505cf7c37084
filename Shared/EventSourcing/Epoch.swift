public import JSON
import Vocabulary

/// A random number that identifies one continuous run of a journal.
///
/// It is drawn when the journal is created, and again when the journal is restored from a backup.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let value: UInt64

    /// Creates an epoch of that number.
    public init(_ value: UInt64) {
        self.value = value
    }

    /// Parses 16 hexadecimal digits; nil for any other text.
    public init?(_ text: String) {
        self.init(utf8: text.utf8.span)
    }

    init?(utf8 text: Span<UInt8>) {
        guard text.count == 16, let value = text.hexNumber(0..<16) else { return nil }
        self.value = value
    }

    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension Epoch: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        self = try json.text("expected an epoch of 16 hexadecimal digits") { Epoch(utf8: $0) }
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
