public import JSON

/// The position of an operation in a distributed trace (W3C Trace Context, `traceparent`, version 00).
///
/// Format: `00-<trace, 32 digits>-<span, 16 digits>-<flags, 2 digits>`, with hexadecimal digits in lower case.
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    /// The header's value.
    public let description: String

    /// Reads a header's value; nil if it is malformed or its trace or span is zero, to be treated like an absent
    /// header.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts[0] == "00",
            parts.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            parts[1...2].allSatisfy({ $0.utf8.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        description = text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension TraceParent: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        guard let trace = Self(try json.string()) else { throw json.error("expected 00-trace-span-flags") }
        self = trace
    }

    public func write(to json: inout JSONWriter) {
        json.string(description)
    }
}
