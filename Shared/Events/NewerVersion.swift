import JSON
import Wire

/// An event of a version that a newer Furrow writes. To leave it out would be to guess what it means: who finds one
/// reads no further until it is updated.
public struct NewerVersion: Equatable, Sendable {
    public let name: String
    /// The newest version of the fact that this build knows.
    public let known: Int

    /// Nil for what this build knows, and for what it knows nothing of.
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

    /// What stands at `type`; the writer puts it near the beginning, so that most of an event need not be looked at.
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
