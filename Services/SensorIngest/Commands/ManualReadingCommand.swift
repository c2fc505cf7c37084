import EventSourcing
import Events
import Host
import JSON
import Radio
import Vocabulary
import Wire

/// The command `record-readings`: values that people read themselves, typed in or from a CSV file.
///
/// All rows are recorded, or none. Each row that cannot be recorded has an error of its own in the response, so that a
/// file can be corrected line by line; with `check` nothing is recorded.
struct ManualReadingCommand {
    let tables: any Tables
    let ask: Request
    let now: Instant

    func execute(_ command: RecordReadings, _ evaluator: inout AlarmEvaluator) -> ([Draft], Response) {
        let rows = command.rows
        let errors = rows.enumerated().compactMap { number, row in error(in: row).map { (number, $0) } }
        guard errors.isEmpty, !command.check else {
            return ([], response(recorded: 0, rows.count - errors.count, errors))
        }
        var drafts: [Draft] = []
        // Alarms are evaluated in the order of time, in which the rows need not be.
        let ordered = rows.enumerated().sorted { ($0.element.at ?? now, $0.offset) < ($1.element.at ?? now, $1.offset) }
        for (number, row) in ordered {
            let readings = row.readings.map { Events.Reading($0.quantity, $0.value) }
            let event = Measured.manual(readings, at: row.point, source: "person")
            // A time in the future would make all current reports look late.
            let time = min(row.at ?? now, now)
            let id = UUID.named("manual|\(Hex.encode(ask.entropy))|\(number)", in: .furrow)
            drafts.append(Draft(event, in: "device/\(event.device)", id: id, at: time, by: ask.actor))
            drafts += evaluator.judge(event, at: time, id: id)
        }
        return (drafts, response(recorded: rows.count, rows.count, []))
    }

    /// Returns why a row cannot be recorded, in words for the person who wrote it; nil if it can.
    private func error(in row: ManualRow) -> String? {
        guard tables.get(PointRow.self, row.point.rawValue) != nil else {
            return "There is no measuring point \(row.point)."
        }
        if let at = row.at {
            if at > now.advanced(bySeconds: SensorLimits.manualAheadSeconds) { return "The time is in the future." }
            if at < now.advanced(bySeconds: -Double(SensorLimits.manualDays) * 86_400) {
                return "The time is more than \(SensorLimits.manualDays) days ago."
            }
        }
        guard !row.readings.isEmpty else { return "There is no value." }
        guard Set(row.readings.map(\.quantity)).count == row.readings.count else { return "A quantity is given twice." }
        for reading in row.readings {
            guard reading.quantity.isReported else { return "\(reading.quantity.rawValue) is not measured." }
            let range = reading.quantity.plausible(for: .any)
            guard range.contains(reading.value) else {
                return "\(reading.quantity.rawValue) has to be between \(range.lowerBound) and \(range.upperBound) "
                    + "\(reading.quantity.unit); the row has \(reading.value)."
            }
        }
        return nil
    }

    private func response(recorded: Int, _ valid: Int, _ errors: [(row: Int, text: String)]) -> Response {
        .made(200) { json in
            json.field("recorded", recorded)
            json.field("valid", valid)
            json.field(
                "errors",
                array: { json in
                    for error in errors {
                        json.object { json in
                            json.field("row", error.row)
                            json.field("detail", error.text)
                        }
                    }
                })
        }
    }
}
