import EventSourcing
import Vocabulary

/// The latest time that is certainly past, by the clock marks of sensor-ingest. There is one such row.
///
/// A machine's clock that is wrong by years must not make data look old (see `ClockTrusted`).
struct TrustedTimeRow: TableRow {
    static let schema = TableSchema("trusted_time", [("time", .integer)])
    private static let only = "last"

    let key = only
    let time: Instant

    private init(_ time: Instant) {
        self.time = time
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        time = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.integer(time.microseconds)] }

    /// Returns the time; nil before the first mark.
    static func time(in tables: any Tables) -> Instant? { tables.get(TrustedTimeRow.self, only)?.time }

    static func note(_ mark: ClockTrusted, in tables: some Tables) {
        guard time(in: tables).map({ $0 < mark.trusted }) ?? true else { return }
        tables.put(TrustedTimeRow(mark.trusted))
    }
}
