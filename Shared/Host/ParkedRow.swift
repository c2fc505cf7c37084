public import EventSourcing
import Vocabulary

/// A foreign event that is not applied: because it cannot be, and waits to be tried again or left out; or because one
/// of the same stream before it waits. The key is `<feed>|<position, 20 digits>`.
public struct ParkedRow: TableRow {
    public static let schema = TableSchema(
        "parked",
        [("epoch", .text), ("reason", .text), ("bytes", .text), ("stream", .text), ("behind", .integer)],
        indexed: ["stream"])

    public let key: String
    public let epoch: Epoch
    public internal(set) var reason: String
    /// The event as it was told.
    public let bytes: [UInt8]
    /// The key of its `BlockedStreamRow`; nil where it does not say of which stream it is.
    public let stream: String?
    /// Behind which one it waited when it was heard; nil where it is itself what cannot be applied.
    public internal(set) var behind: Position?

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

    public static func key(_ feed: String, _ position: Position) -> String {
        let digits = String(position)
        return "\(feed)|" + String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }

    public var feed: String { String(key.prefix { $0 != "|" }) }
    public var position: Position { Position(key.suffix(20)) ?? 0 }
}
