public import EventSourcing
import Vocabulary

/// The checkpoint of a feed, projected from the checkpoint events: the subscription continues there after a restart.
public struct FeedCheckpointRow: TableRow {
    public static let schema = TableSchema(
        "intake",
        [("epoch", .text), ("position", .integer), ("hash", .text), ("parked", .integer), ("waiting", .integer)])

    /// The name of the feed.
    public let key: String
    /// The checkpoint up to which the feed is consumed.
    public internal(set) var checkpoint: Checkpoint
    /// The number of events that could not be applied, one per stream except for events that older builds have parked.
    public internal(set) var parked = 0
    /// The number of events that wait for those.
    public internal(set) var waiting = 0

    /// Creates the row of a feed without parked events.
    public init(feed: String, checkpoint: Checkpoint) {
        key = feed
        self.checkpoint = checkpoint
    }

    public init(key: String, cells: [Cell]) throws(RowDecodingError) {
        guard cells.count == 5, case .text(let epochText) = cells[0], let epoch = Epoch(epochText),
            case .integer(let position) = cells[1], position >= 0, case .text(let hex) = cells[2],
            let hash = Hex.decode(hex), case .integer(let parked) = cells[3],
            case .integer(let waiting) = cells[4]
        else { throw RowDecodingError(table: Self.schema.name, key: key) }
        self.key = key
        checkpoint = Checkpoint(epoch: epoch, position: Position(position), hash: hash)
        self.parked = Int(parked)
        self.waiting = Int(waiting)
    }

    public var cells: [Cell] {
        [
            .text(checkpoint.epoch.description), .integer(Int64(checkpoint.position)),
            .text(Hex.encode(checkpoint.hash)), .integer(Int64(parked)), .integer(Int64(waiting)),
        ]
    }
}
