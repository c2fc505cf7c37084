public import EventSourcing
import Vocabulary

/// How far a feed is taken in, folded from the intake entries: where following goes on after a restart.
public struct IntakeRow: TableRow {
    public static let schema = TableSchema(
        "intake", [("epoch", .text), ("position", .integer), ("hash", .text), ("parked", .integer)])

    public let key: String
    public let checkpoint: Checkpoint
    public let parked: Int

    public init(feed: String, checkpoint: Checkpoint, parked: Int) {
        key = feed
        self.checkpoint = checkpoint
        self.parked = parked
    }

    public init(key: String, cells: [Cell]) throws(BadRow) {
        guard cells.count == 4, case .text(let epochText) = cells[0], let epoch = Epoch(epochText),
            case .integer(let position) = cells[1], position >= 0, case .text(let hex) = cells[2],
            let hash = Hex.decode(hex), case .integer(let parked) = cells[3]
        else { throw BadRow(table: Self.schema.name, key: key) }
        self.key = key
        checkpoint = Checkpoint(epoch: epoch, position: Position(position), hash: hash)
        self.parked = Int(parked)
    }

    public var cells: [Cell] {
        [
            .text(checkpoint.epoch.description), .integer(Int64(checkpoint.position)),
            .text(Hex.encode(checkpoint.hash)), .integer(Int64(parked)),
        ]
    }
}
