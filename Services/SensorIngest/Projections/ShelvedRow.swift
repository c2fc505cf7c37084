import EventSourcing
import Events
import Vocabulary

/// Until when the alarms of a rule at a point are muted. The key is that of the alarm.
///
/// The row remains after the end, because the escalation depends on it; the next shelving replaces it.
struct ShelvedRow: TableRow, Equatable {
    static let schema = TableSchema(
        "shelved_alarm", [("since", .integer), ("until", .integer), ("by", .text), ("comment", .text)])

    let key: String
    private(set) var since: Instant
    private(set) var until: Instant
    /// The person, as `person/<uuid>`.
    let by: String
    let comment: String?

    init(_ event: AlarmShelved, since: Instant, by actor: Actor) {
        key = AlarmRow.key(event.rule, event.point)
        self.since = since
        until = event.until
        by = actor.description
        comment = event.comment
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        since = Instant(microseconds: try cells.integer())
        until = Instant(microseconds: try cells.integer())
        by = try cells.text()
        comment = try cells.optionalText()
    }

    var cells: [Cell] {
        [.integer(since.microseconds), .integer(until.microseconds), .text(by), Cell(comment)]
    }

    func isShelved(at now: Instant) -> Bool { now < until }

    /// Shelvings that began by a clock that was ahead keep their duration.
    mutating func setBack(to now: Instant) {
        guard since > now else { return }
        until = now.advanced(bySeconds: until.seconds(since: since))
        since = now
    }
}
