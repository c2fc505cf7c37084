public import EventSourcing
public import JSON

/// Input that claimed to be of a known format and could not be decoded.
public struct Quarantined: Event, Equatable {
    public static let name = "farm.furrow.sensors.quarantined.v1"

    public var source: String
    public var reason: String
    /// The number of bytes.
    public var length: Int
    /// The first 512 of them, in hexadecimal.
    public var bytes: String
    /// The number of further undecodable inputs of the source since the previous event.
    public var others: Int

    public init(source: String, reason: String, length: Int, bytes: String, others: Int = 0) {
        self.source = source
        self.reason = reason
        self.length = length
        self.bytes = bytes
        self.others = others
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        source = try json.get("source")
        reason = try json.get("reason")
        length = try json.get("length")
        bytes = try json.get("bytes")
        others = try json.find("others") ?? 0
    }

    public func write(fields json: inout JSONWriter) {
        json.field("source", source)
        json.field("reason", reason)
        json.field("length", length)
        json.field("bytes", bytes)
        json.field("others", ifPresent: others == 0 ? nil : others)
    }
}
