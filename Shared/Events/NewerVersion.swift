import JSON
import Wire

/// An event version that only a newer build can read.
///
/// Skipping the event would ignore its meaning, so a reader stops at it until it is updated.
public struct NewerVersion: Equatable, Sendable {
    /// The event's name on the wire.
    public let name: String
    /// The newest version of the event that this build knows.
    public let known: Int

    /// Reads the version of an event; nil if this build knows it, or knows no version of the event.
    public init?(in bytes: [UInt8]) {
        guard let name = Self.name(in: bytes), !Self.names.contains(name) else { return nil }
        guard let version = EventVersion(name), let known = Self.newest[version.fact], version.number > known else {
            return nil
        }
        self.name = name
        self.known = known
    }

    private static let names = Set(RecordedEvent.names)
    private static let newest = Dictionary(
        RecordedEvent.names.compactMap { EventVersion($0) }.map { ($0.fact, $0.number) }, uniquingKeysWith: max)

    /// Returns the value of `type`; it is near the beginning, so only the first bytes are searched.
    private static func name(in bytes: [UInt8]) -> String? {
        let mark = Array("\"type\":\"".utf8)
        let end = min(bytes.count, 400)
        var place = 0
        while place + mark.count < end {
            if bytes[place] == mark[0], bytes[place..<place + mark.count].elementsEqual(mark) {
                let text = bytes[(place + mark.count)..<end].prefix { $0 != UInt8(ascii: "\"") }
                return String(decoding: text, as: UTF8.self)
            }
            place += 1
        }
        return nil
    }
}
