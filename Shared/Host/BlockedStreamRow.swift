import Crypto
public import EventSourcing
import Vocabulary
import Wire

/// A stream of a followed journal of which one event could not be applied, so that all later ones wait. The key is
/// `<feed>|<stream>`.
public struct BlockedStreamRow: TableRow {
    public static let schema = TableSchema(
        "held", [("stream", .text), ("state", .text), ("first", .integer), ("waiting", .integer)],
        indexed: ["stream", "state"])

    /// What becomes of it next.
    enum State: String {
        /// Somebody has to decide on its first event.
        case parked
        /// Its first event waited behind one that is out of the way, and is tried in its turn.
        case released
    }

    public let key: String
    public let stream: String
    var state: State
    /// The position of the first event of it that is not applied.
    var first: Position
    /// How many of its events wait behind one that could not be applied.
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

    /// Nil where an event does not say of which stream it is: nothing waits behind it.
    static func key(_ feed: String, ofEvent bytes: [UInt8]) -> String? {
        EnvelopeCodec.stream(of: bytes).map { key(feed, $0) }
    }

    /// What goes into a key is short and can be read, whatever somebody wrote.
    private static func name(of stream: String) -> String {
        stream.utf8.count <= HostLimits.streamBytes && stream.utf8.allSatisfy { $0 >= 0x20 }
            ? stream : Hex.encode(SHA256.hash(Array(stream.utf8)))
    }
}

extension Tables {
    /// Streams of which events were heard that are not applied yet: there may be more to know of them.
    public var heldStreams: [String] {
        scan(BlockedStreamRow.self, limit: HostLimits.parkedStreams * HostLimits.feedsHeld).map(\.stream)
    }

    /// Whether events of a stream were heard that are not applied yet.
    public func areHolding(_ stream: String) -> Bool {
        !find(BlockedStreamRow.self, where: "stream", is: stream, limit: 1).isEmpty
    }
}
