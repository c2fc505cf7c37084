import EventSourcing
import EventStore
import Host
import System

extension SensorIngest {
    /// Runs one ingest process.
    ///
    /// `FURROW_SOURCES` lists radios, separated by commas. `znp:/dev/ttyUSB0` is a coordinator's serial line. `hci:`
    /// and a path is a Bluetooth controller's live HCI stream: a Unix socket, a pipe, a serial line, or a growing file.
    ///
    /// `FURROW_RETENTION_DAYS` is the retention period of raw reports that are part of no lot's story. The default is
    /// two years; 0 is unlimited.
    public static func main() -> Never {
        run(SensorIngest.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try SQLiteLog(directory: folder, feed: origin.description, why: "created", at: clock.now())
            // A new journal needs no check of its newest time: that of a demonstration begins years ago.
            let newest = log.head.position > 1 ? try ClockJumpDetector.newest(in: log) : nil
            let tables = try SQLiteTables(folder: folder, Folding<SensorIngest>.schemas)
            let sources = try (settings["SOURCES"] ?? "").split(separator: ",").map { text in
                try source(String(text), locksIn: settings.run())
            }
            var configuration = ServiceConfiguration(
                service: SensorIngest(
                    slot: slot.number, origin: origin, radios: sources.map(\.name),
                    retention: Retention(days: try retentionDays(settings), journal: log.path, newest: newest)),
                settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] },
                listening: .hub)
            configuration.sources = sources
            configuration.caller = "sync-gateway"
            try OrphanSlotServer(settings: settings, own: slot.number).start()
            configuration.idle = {
                try log.idle()
                try tables.idle()
            }
            return configuration
        }
    }

    private static func retentionDays(_ settings: Host.Settings) throws(SettingError) -> Int? {
        let days = try settings.number("RETENTION_DAYS", in: 0...36_500) ?? SensorLimits.retentionDays
        guard days == 0 || days >= SensorLimits.retentionDaysMin else {
            throw SettingError(
                name: "FURROW_RETENTION_DAYS",
                reason:
                    "must be 0 (keep for ever) or at least \(SensorLimits.retentionDaysMin): lots' stories need that long"
            )
        }
        return days == 0 ? nil : days
    }

    private static func source(_ name: String, locksIn folder: String) throws(SettingError) -> any Source {
        let path = String(name.dropFirst(4))
        switch name.prefix(4) {
        case "znp:" where !path.isEmpty: return SerialSource(name: name, path: path, locksIn: folder)
        case "hci:" where !path.isEmpty: return HCISource(name: name, path: path, locksIn: folder)
        default:
            throw SettingError(
                name: "FURROW_SOURCES",
                reason: "\(name): expected znp:<serial device> or hci:<socket, pipe, device or file>")
        }
    }
}
