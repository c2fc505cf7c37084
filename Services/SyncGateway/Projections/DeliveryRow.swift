import EventSourcing
import Events
import Vocabulary

/// How a message about an alarm ended. The key is `<when>|<message>`; the oldest is removed first.
struct DeliveryRow: TableRow {
    static let schema = TableSchema(
        "delivery",
        [
            ("recipient", .text), ("person", .text), ("channel", .text), ("sentence", .text), ("place", .text),
            ("step", .integer), ("requested", .integer), ("outcome", .text), ("reason", .text),
        ])

    enum Outcome: String, CaseIterable {
        case sent
        case failed
        case withdrawn
    }

    let key: String
    let to: OutboxRow.Recipient
    let person: PersonID
    let channel: String?
    /// The alarm in words.
    let sentence: String
    let place: Place
    let step: Int
    let requested: Instant
    let outcome: Outcome
    let reason: String?

    /// Creates the row of a message; nil if it is not about an alarm.
    init?(_ row: OutboxRow, _ outcome: Outcome, _ reason: String?, at time: Instant) {
        guard let message = AlarmMessage(row) else { return nil }
        key = "\(time)|\(row.key)"
        to = row.to
        person = message.person
        channel = row.channel?.description
        sentence = message.alarm.sentence()
        place = message.alarm.place
        step = message.alarm.step
        requested = message.requested
        self.outcome = outcome
        self.reason = reason
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        to = try cells.text(OutboxRow.Recipient.init(rawValue:))
        person = PersonID(try cells.text())
        channel = try cells.optionalText()
        sentence = try cells.text()
        place = try cells.text(Place.init)
        step = try cells.int()
        requested = Instant(microseconds: try cells.integer())
        outcome = try cells.text(Outcome.init(rawValue:))
        reason = try cells.optionalText()
    }

    var cells: [Cell] {
        [
            .text(to.rawValue), .text(person.rawValue), Cell(channel), .text(sentence), .text(place.description),
            .integer(Int64(step)), .integer(requested.microseconds), .text(outcome.rawValue), Cell(reason),
        ]
    }
}
