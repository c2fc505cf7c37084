import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// What sensor-ingest tells when it is asked.
struct Queries {
    private let tables: any Tables

    init(_ tables: any Tables) {
        self.tables = tables
    }

    func answer(_ verb: String, _ body: Body) throws(Problem) -> Answer {
        let after = try body.optionalText("after")
        switch verb {
        case "devices": return devices(after)
        case "points": return points(after)
        case "rules": return rules(after)
        case "alarms": return alarms(after)
        default: throw Problem(404, "unknown-verb", "sensor-ingest does not know how to \(verb).")
        }
    }

    private func devices(_ after: String?) -> Answer {
        list(DeviceRow.self, after) { row, json in
            json.field("device", row.key)
            json.field("format", row.format)
            json.field("last", ifPresent: row.last)
            json.field("reports", row.reports)
            json.field("copies", row.copies)
            json.field("readings", row.readings)
            json.field("rssi", ifPresent: row.rssi)
            json.field("point", ifPresent: row.point)
        }
    }

    private func points(_ after: String?) -> Answer {
        list(PointRow.self, after) { row, json in
            json.field("point", row.key)
            json.field("title", row.title)
            json.field("place", row.place)
            json.field("device", ifPresent: row.device)
        }
    }

    private func rules(_ after: String?) -> Answer {
        let rows = tables.scan(PlaceRulesRow.self, prefix: "", after: after, limit: Bounds.pageItems)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for rule in rows.flatMap(\.rules) { json.object { json in rule.write(fields: &json) } }
                })
        }
    }

    private func alarms(_ after: String?) -> Answer {
        list(AlarmRow.self, after) { row, json in
            json.field("rule", row.rule)
            json.field("point", row.point)
            json.field("place", row.place)
            json.field("quantity", row.quantity)
            json.field("value", row.value)
            json.field("limit", row.limit)
            json.field("raised", row.raised)
            json.field("cleared", ifPresent: row.cleared)
        }
    }

    private func list<Row: TableRow>(
        _ type: Row.Type, _ after: String?, _ write: (Row, inout JSONWriter) -> Void
    ) -> Answer {
        let rows = tables.scan(type, prefix: "", after: after, limit: Bounds.pageItems)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows { json.object { json in write(row, &json) } }
                })
            json.field("next", ifPresent: rows.count == Bounds.pageItems ? rows.last?.key : nil)
        }
    }
}
