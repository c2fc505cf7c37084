import EventSourcing
import EventStore
import Host
import System

extension SensorIngest {
    /// Runs one ingest process.
    ///
    /// `FURROW_SOURCES` names serial coordinators, one after a comma: `znp:/dev/ttyUSB0`.
    public static func main() -> Never {
        run(SensorIngest.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try SQLiteLog(directory: folder, feed: origin.description, why: "created", at: clock.now())
            let tables = try SQLiteTables(
                path: "\(folder)/\(SQLiteTables.fileName)", Folding<SensorIngest>.schemas)
            let sources = try (settings["SOURCES"] ?? "").split(separator: ",").map { text in
                guard text.hasPrefix("znp:") else {
                    throw SettingError(name: "FURROW_SOURCES", reason: "\(text): expected znp:<serial device>")
                }
                let path = String(text.dropFirst(4))
                return SerialSource(name: String(text), path: path, locksIn: try settings.run())
            }
            var plan = Plan(
                service: SensorIngest(slot: slot.number, origin: origin, radios: sources.map(\.name)),
                settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] },
                listening: slot.number == 0 ? .hub : .nothing)
            plan.sources = sources
            try Adoption(settings: settings, own: slot.number).start()
            plan.idle = { try log.idle() }
            return plan
        }
    }
}
