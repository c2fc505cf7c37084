import EventSourcing
import EventStore
import Events
import Host
import JSON
import System
import Vocabulary
import Wire

/// What `furrow bench` measures: a service that only writes down what it is told, and folds the newest value of each
/// node and hourly means.
struct BenchService: Service {
    static let name = "bench"
    static let tables = [BenchLatestRow.schema, BenchHourRow.schema]

    static func fold(_ told: Told, into tables: some Tables) {
        guard case .sensors(.measured(let event)) = told.fact else { return }
        for reading in event.readings {
            let key = "\(event.device)|\(reading.quantity.rawValue)"
            tables.put(BenchLatestRow(key: key, value: reading.value))
            let hour = told.envelope.time.microseconds / 3_600_000_000
            var row = tables.get(BenchHourRow.self, "\(key)|\(hour)") ?? BenchHourRow(key: "\(key)|\(hour)")
            row.count += 1
            row.sum += reading.value
            tables.put(row)
        }
    }

    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        guard case .asked(let ask) = input else { return [] }
        do {
            let event = try Measured(json: JSONValue.parse(ask.body))
            let draft = Draft(event, in: "device/\(event.device)", by: .node(event.device))
            return [.settle(ask, [draft], Answer(status: 201, body: Array("{}".utf8)))]
        } catch {
            return [.reply(ask, Problem(400, "malformed", "\(error)").answer)]
        }
    }

    /// Runs in the child process that `bench append` and `bench replay` measure.
    static func serve() -> Never {
        run(BenchService.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let log = try SQLiteLog(directory: slot.folder, feed: origin.description, why: "bench", at: clock.now())
            let tables = try SQLiteTables(
                path: "\(slot.folder)/\(SQLiteTables.fileName)", Folding<BenchService>.schemas)
            let path = "\(slot.folder)/\(SQLiteLog.fileName)"
            return Plan(
                service: BenchService(), settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: path)] }, listening: .nothing)
        }
    }
}

/// The newest value. The key is `<device>|<quantity>`.
struct BenchLatestRow: TableRow {
    static let schema = TableSchema("bench_latest", [("value", .real)])

    let key: String
    let value: Double

    init(key: String, value: Double) {
        self.key = key
        self.value = value
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        value = try cells.real()
    }

    var cells: [Cell] { [.real(value)] }
}

/// The mean of an hour. The key is `<device>|<quantity>|<hour>`.
struct BenchHourRow: TableRow {
    static let schema = TableSchema("bench_hour", [("count", .integer), ("sum", .real)])

    let key: String
    var count = 0
    var sum = 0.0

    init(key: String) {
        self.key = key
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.int()
        sum = try cells.real()
    }

    var cells: [Cell] { [.integer(Int64(count)), .real(sum)] }
}
