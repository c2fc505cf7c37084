public import EventSourcing
import Vocabulary

/// A foreign event that could not be applied and waits to be tried again or left out. The key is
/// `<feed>|<position, 20 digits>`.
public struct ParkedRow: TableRow {
    public static let schema = TableSchema("parked", [("epoch", .text), ("reason", .text), ("bytes", .text)])

    public let key: String
    public let epoch: Epoch
    public let reason: String
    /// The event as it was told.
    public let bytes: [UInt8]

    public init(feed: String, epoch: Epoch, parked: Parked, bytes: [UInt8]) {
        key = Self.key(feed, parked.position)
        self.epoch = epoch
        reason = parked.reason
        self.bytes = bytes
    }

    public init(key: String, cells: [Cell]) throws(BadRow) {
        guard cells.count == 3, case .text(let epochText) = cells[0], let epoch = Epoch(epochText),
            case .text(let reason) = cells[1], case .text(let text) = cells[2],
            let bytes = BaseEncoding.base64.decode(text)
        else { throw BadRow(table: Self.schema.name, key: key) }
        self.key = key
        self.epoch = epoch
        self.reason = reason
        self.bytes = bytes
    }

    public var cells: [Cell] {
        [.text(epoch.description), .text(reason), .text(BaseEncoding.base64.encode(bytes))]
    }

    public static func key(_ feed: String, _ position: Position) -> String {
        let digits = String(position)
        return "\(feed)|" + String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }

    public var feed: String { String(key.prefix { $0 != "|" }) }
    public var position: Position { Position(key.suffix(20)) ?? 0 }
}
