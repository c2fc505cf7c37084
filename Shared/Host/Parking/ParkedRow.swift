public import EventSourcing
import Vocabulary

/// A foreign event that is not applied: it is parked until an operator resolves it, or it waits for an earlier event of
/// its stream. The key is `<feed>|<position, 20 digits>`.
public struct ParkedRow: TableRow {
    public static let schema = TableSchema(
        "parked",
        [("epoch", .text), ("reason", .text), ("bytes", .text), ("stream", .text), ("behind", .integer)],
        indexed: ["stream"])

    /// `<feed>|<position, 20 digits>`.
    public let key: String
    /// The epoch of the feed in which the event was read.
    public let epoch: Epoch
    /// Why the event is not applied.
    public internal(set) var reason: String
    /// The bytes of the event as they were read.
    public let bytes: [UInt8]
    /// The key of its `BlockedStreamRow`; nil if the stream of the event is unreadable.
    public let stream: String?
    /// The position of the event for which it waits; nil if it cannot be applied itself.
    public internal(set) var behind: Position?

    /// Creates the row of an event that a checkpoint event names as parked.
    public init(feed: String, epoch: Epoch, parked: Parked, bytes: [UInt8]) {
        key = Self.key(feed, parked.position)
        self.epoch = epoch
        reason = parked.reason
        self.bytes = bytes
        stream = BlockedStreamRow.key(feed, ofEvent: bytes)
        behind = parked.behind
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        epoch = try reader.text { Epoch($0) }
        reason = try reader.text()
        bytes = try reader.text { BaseEncoding.base64.decode($0) }
        stream = try reader.optionalText()
        behind = try reader.optionalInteger().map { Position(clamping: $0) }
    }

    public var cells: [Cell] {
        [
            .text(epoch.description), .text(reason), .text(BaseEncoding.base64.encode(bytes)),
            Cell(stream), Cell(behind.map { Int64(clamping: $0) }),
        ]
    }

    /// Returns the key of the event at a position of a feed.
    public static func key(_ feed: String, _ position: Position) -> String {
        let digits = String(position)
        return "\(feed)|" + String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }

    /// The feed of the event.
    public var feed: String { String(key.prefix { $0 != "|" }) }
    /// The position of the event.
    public var position: Position { Position(key.suffix(20)) ?? 0 }
}
