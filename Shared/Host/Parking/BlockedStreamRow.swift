import Crypto
public import EventSourcing
import Vocabulary
import Wire

/// A blocked stream of a followed journal: one event could not be applied, so all later ones wait. The key is
/// `<feed>|<stream>`.
public struct BlockedStreamRow: TableRow {
    public static let schema = TableSchema(
        "held", [("stream", .text), ("state", .text), ("first", .integer), ("waiting", .integer)],
        indexed: ["stream", "state"])

    /// The state of a blocked stream.
    enum State: String {
        /// Its first event is parked until an operator retries or skips it.
        case parked
        /// Its first event waited for one that has been resolved, and is retried next.
        case released
    }

    /// `<feed>|<stream>`; a long or unprintable stream name is replaced by its hash.
    public let key: String
    /// The name of the stream as in the key.
    public let stream: String
    var state: State
    /// The position of its first event that is not applied.
    var first: Position
    /// The number of its events that wait for an earlier one.
    var waiting = 0

    init(key: String, first row: ParkedRow) {
        self.key = key
        stream = String(key.dropFirst(row.feed.utf8.count + 1))
        state = row.behind == nil ? .parked : .released
        first = row.position
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        stream = try reader.text()
        state = try reader.text { State(rawValue: $0) }
        first = Position(clamping: try reader.integer())
        waiting = try reader.int()
    }

    public var cells: [Cell] {
        [.text(stream), .text(state.rawValue), .integer(Int64(clamping: first)), .integer(Int64(waiting))]
    }

    static func key(_ feed: String, _ stream: String) -> String { "\(feed)|\(name(of: stream))" }

    /// Returns nil if the stream of an event is unreadable: no other event waits for it then.
    static func key(_ feed: String, ofEvent bytes: [UInt8]) -> String? {
        EnvelopeCodec.stream(of: bytes).map { key(feed, $0) }
    }

    /// Returns the name for a key: short and printable for every event.
    private static func name(of stream: String) -> String {
        stream.utf8.count <= HostLimits.streamBytes && stream.utf8.allSatisfy { $0 >= 0x20 }
            ? stream : Hex.encode(SHA256.hash(Array(stream.utf8)))
    }
}

extension Tables {
    /// The blocked streams, for which events arrived that are not applied yet, so the read model may be incomplete.
    public var blockedStreams: [String] {
        scan(BlockedStreamRow.self, limit: HostLimits.parkedStreams * HostLimits.feedsBlocked).map(\.stream)
    }

    /// Returns whether a stream is blocked, so that events of it are not applied yet.
    public func isBlocked(_ stream: String) -> Bool {
        !find(BlockedStreamRow.self, where: "stream", is: stream, limit: 1).isEmpty
    }
}
