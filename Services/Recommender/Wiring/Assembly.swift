import EventSourcing
import EventStore
import Host

extension Recommender {
    /// Runs the recommender in this process.
    public static func main() -> Never {
        run(Recommender.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try slot.openJournal(of: origin, settings, at: clock.now())
            let tables = try SQLiteTables(folder: folder, Folding<Recommender>.schemas)
            var configuration = ServiceConfiguration(
                service: Recommender(), settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] }, listening: .hub)
            configuration.idle = {
                try log.idle()
                try tables.idle()
            }
            return configuration
        }
    }
}
