import EventSourcing
import Events
import Vocabulary

/// An outbox message that could not be delivered, for the staff to handle otherwise. The key is `<when>|<message>`: the
/// oldest sorts first and is removed first.
struct FailedMessageRow: TableRow {
    static let schema = TableSchema(
        "given_up", [("recipient", .text), ("path", .text), ("orders", .text), ("reason", .text)])

    let key: String
    let to: OutboxRow.Recipient
    let path: String
    let order: OrderID?
    let reason: String

    init(_ row: OutboxRow, _ reason: String, at time: Instant) {
        key = "\(time)|\(row.key)"
        to = row.to
        path = row.path
        order = row.order
        self.reason = reason
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        to = try cells.text(OutboxRow.Recipient.init(rawValue:))
        path = try cells.text()
        order = try cells.optionalText().map { OrderID($0) }
        reason = try cells.text()
    }

    var cells: [Cell] { [.text(to.rawValue), .text(path), Cell(order?.rawValue), .text(reason)] }
}
