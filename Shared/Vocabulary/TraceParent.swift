public import JSON

/// Which request of which tracing system something belongs to (W3C Trace Context, `traceparent`, version 00):
/// `00-<trace, 32 digits>-<span, 16 digits>-<flags, 2 digits>`, digits hexadecimal in lower case.
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// nil for anything else, a trace or span of zeros included: whoever sends that is to be treated as sending none.
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
