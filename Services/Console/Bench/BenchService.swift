import EventSourcing
import EventStore
import Events
import Host
import JSON
import SQLite
import System
import Vocabulary
import Wire

/// The service that `furrow bench` measures. It only records events, and projects the newest report of each node and
/// its hourly means.
struct BenchService: Service {
    static let name = "bench"
    static let origin = "\(name)/farm-0"
    static let tables = [BenchLatestRow.schema, BenchHourRow.schema]
    static let appendVerb = "append"
    /// Returns the number of disk syncs of this process so far.
    static let statsVerb = "stats"

    static func fold(_ told: RecordedEvent, into tables: some Tables) {
        guard case .sensors(.measured(let event)) = told.fact else { return }
        let device = event.device.rawValue
        tables.put(BenchLatestRow(key: device, time: told.envelope.time, readings: event.readings))
        let hour = "\(device)|\(told.envelope.time.microseconds / 3_600_000_000)"
        var row = tables.get(BenchHourRow.self, hour) ?? BenchHourRow(key: hour)
        row.add(event.readings)
        tables.put(row)
    }

    func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        Self.step(input)
    }

    /// The service's behaviour, with views or without.
    static func step(_ input: Input) -> [Effect] {
        guard case .asked(let ask) = input else { return [] }
        if ask.verb == statsVerb { return [.reply(ask, .made { json in json.field("syncs", Database.syncs) })] }
        do {
            let event = try Measured(json: JSONValue.parse(ask.body))
            let draft = Draft(event, in: "device/\(event.device)", by: .node(event.device))
            return [.settle(ask, [draft], Response(status: 201, body: Array("{}".utf8)))]
        } catch {
            return [.reply(ask, Problem(400, "malformed", "\(error)").answer)]
        }
    }
}

/// The same service without views: the journal alone, comparable with the peers' measurements.
struct BenchJournal: Service {
    static let name = BenchService.name
    static let tables: [TableSchema] = []

    static func fold(_ told: RecordedEvent, into tables: some Tables) {}

    func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        BenchService.step(input)
    }
}

/// A service that `furrow bench` can start.
protocol BenchMeasured: Service {
    init()
}

extension BenchService: BenchMeasured {}
extension BenchJournal: BenchMeasured {}

extension BenchMeasured {
    /// Runs the service in the child process that a benchmark measures.
    static func serve() -> Never {
        run(Self.self, isGuarded: Machine.environment["FURROW_KEYS"] != nil) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let log = try SQLiteLog(directory: slot.folder, feed: origin.description, why: "bench", at: clock.now())
            let tables = try SQLiteTables(folder: slot.folder, Folding<Self>.schemas)
            let path = "\(slot.folder)/\(SQLiteLog.fileName)"
            return ServiceConfiguration(
                service: Self(), settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: path)] }, listening: .nothing)
        }
    }
}
