import EventSourcing
import Events
import JSON
import Vocabulary

/// An activity of a grower on a plot, as recorded and as corrected. The key is `<plot>|<activity>`.
struct ActivityRow: TableRow {
    static let schema = TableSchema(
        "activity",
        [
            ("activity", .text), ("kind", .text), ("happened", .integer), ("recorded", .integer), ("details", .text),
            ("corrections", .text),
        ], indexed: ["activity"])

    let key: String
    let plot: PlotID
    let activity: ActivityID
    let record: Record
    var corrections: [Record]

    /// One version of an activity.
    struct Record: Sendable, Equatable {
        var kind: ActivityKind
        var happened: Instant
        var recorded: Instant
        var details: ActivityDetails
        /// Why the version before this one was wrong; nil for the first.
        var reason: String?
    }

    init(plot: PlotID, activity: ActivityID, record: Record) {
        key = "\(plot)|\(activity)"
        self.plot = plot
        self.activity = activity
        self.record = record
        corrections = []
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        plot = PlotID(String(key.prefix { $0 != "|" }))
        activity = ActivityID(try reader.text())
        let kind = try reader.text(ActivityKind.init(rawValue:))
        let happened = Instant(microseconds: try reader.integer())
        let recorded = Instant(microseconds: try reader.integer())
        let details: String = try reader.text()
        let corrections: String = try reader.text()
        do {
            record = Record(
                kind: kind, happened: happened, recorded: recorded,
                details: try ActivityDetails(json: JSONValue.parse(details)))
            self.corrections = try [Record](json: JSONValue.parse(corrections))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    var cells: [Cell] {
        [
            .text(activity.rawValue), .text(record.kind.rawValue), .integer(record.happened.microseconds),
            .integer(record.recorded.microseconds), .text(Self.text(record.details)), .text(Self.text(corrections)),
        ]
    }

    /// The version that is currently valid: the last correction, else the record.
    var valid: Record { corrections.last ?? record }

    private static func text(_ value: some JSONWritable) -> String {
        var json = JSONWriter()
        value.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension ActivityRow.Record: JSONReadable, JSONWritable {
    init(json: borrowing JSONValue) throws(JSONError) {
        kind = try json.get("kind")
        happened = try json.get("happened")
        recorded = try json.get("recorded")
        details = try json.get("details")
        reason = try json.find("reason")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("kind", kind)
            json.field("happened", happened)
            json.field("recorded", recorded)
            json.field("details", details)
            json.field("reason", ifPresent: reason)
        }
    }
}
