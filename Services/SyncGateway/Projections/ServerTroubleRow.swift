import EventSourcing
import Events
import Vocabulary

/// Something about the farm server that has to be done at once. The key is the check.
struct ServerTroubleRow: TableRow {
    static let schema = TableSchema(
        "server_trouble", [("said", .text), ("advice", .text), ("raised", .integer)])

    let key: String
    let said: String
    let advice: String?
    let raised: Instant

    init(_ event: ServerTroubleRaised, at raised: Instant) {
        key = event.check
        said = event.said
        advice = event.advice
        self.raised = raised
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        said = try cells.text()
        advice = try cells.optionalText()
        raised = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.text(said), Cell(advice), .integer(raised.microseconds)] }
}
