import Crypto
import EventSourcing
import EventStore
import Host
import Radio
import System
import Wire

extension SensorIngest {
    /// Runs one ingest process.
    ///
    /// `FURROW_SOURCES` lists radios, separated by commas. `znp:/dev/ttyUSB0` is a coordinator's serial line, with
    /// `@460800` behind it at another speed than 115,200 baud,
    /// `znp:tcp://host:6638` a coordinator with a network socket, such as an SLZB-06. `hci:` and a path is a Bluetooth
    /// controller's live HCI stream: a Unix socket, a pipe, a serial line, or a growing file.
    ///
    /// `FURROW_MQTT` is the address of an MQTT broker; the settings that begin with `FURROW_MQTT_` are about it.
    ///
    /// `FURROW_LAYOUTS` is the path of a file that declares the payloads of the farm's own ZigBee nodes (`LayoutFile`);
    /// the default is `layouts.txt` in the home, if it exists.
    ///
    /// `FURROW_RETENTION_DAYS` is the retention period of raw reports that are part of no lot's story. The default is
    /// two years; 0 is unlimited.
    public static func main() -> Never {
        run(SensorIngest.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try slot.openJournal(of: origin, settings, at: clock.now())
            // A new journal needs no check of its newest time: that of a demonstration begins years ago.
            let newest = log.head.position > 1 ? try ClockJumpDetector.newest(in: log) : nil
            let tables = try SQLiteTables(folder: folder, Folding<SensorIngest>.schemas)
            let radios = try (settings["SOURCES"] ?? "").split(separator: ",").map { text in
                try source(String(text), locksIn: settings.run())
            }
            let broker = try broker(settings, slot: slot.number)
            var configuration = ServiceConfiguration(
                service: SensorIngest(
                    slot: slot.number, origin: origin, radios: radios.map(\.name),
                    brokers: broker.map { [$0.settings] } ?? [], layouts: try layouts(settings),
                    retention: Retention(days: try retentionDays(settings), journal: log.path, newest: newest),
                    awaitsKeys: true, random: Random.bytes),
                settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] },
                listening: .hub)
            configuration.sources = radios + (broker.map { [$0.source] } ?? [])
            configuration.caller = "sync-gateway"
            try OrphanSlotServer(settings: settings, own: slot.number).start()
            configuration.idle = {
                try log.idle()
                try tables.idle()
            }
            return configuration
        }
    }

    private static func layouts(_ settings: Host.Settings) throws -> [Layout] {
        let usual = "\(try settings.home())/layouts.txt"
        guard let path = settings["LAYOUTS"] ?? (File.exists(usual) ? usual : nil) else { return [] }
        let name = "FURROW_LAYOUTS"
        do {
            return try LayoutFile(File.read(path, limit: LayoutFile.bytesMax)).layouts
        } catch let flaw as LayoutFile.Flaw {
            throw SettingError(name: name, reason: "cannot be used: \(path), \(flaw)")
        } catch {
            throw SettingError(name: name, reason: "cannot be read: \(path): \(error)")
        }
    }

    /// Returns the broker that this slot connects to; nil if there is none.
    ///
    /// Slot 0 connects, because the messages of a device have to meet in one journal. With `FURROW_MQTT_SHARE` every
    /// slot connects, and the broker divides raw advertisements among them.
    private static func broker(
        _ settings: Host.Settings, slot: Int
    ) throws(SettingError) -> (source: ServerSource, settings: BrokerSettings)? {
        guard let text = settings["MQTT"] else { return nil }
        guard let address = BrokerAddress(text) else {
            throw SettingError(
                name: "FURROW_MQTT",
                reason: "expected mqtt://host:port or mqtts://host:port; user and password have settings of their own")
        }
        let group = settings["MQTT_SHARE"]
        if let group, !RequestBody.isName(group) {
            throw SettingError(
                name: "FURROW_MQTT_SHARE", reason: "must be 1 to 40 letters, digits, hyphens or underscores")
        }
        guard slot == 0 || group != nil else { return nil }
        if settings["MQTT_PASSWORD"] != nil, settings["MQTT_USER"] == nil {
            throw SettingError(name: "FURROW_MQTT_USER", reason: "is not set, but FURROW_MQTT_PASSWORD is")
        }
        let client = settings["MQTT_CLIENT"] ?? "furrow-\(settings.site)"
        var broker = BrokerSettings(
            source: "\(address.isSecure ? "mqtts" : "mqtt")://\(address.authority)",
            client: slot == 0 ? client : "\(client)-\(slot)", user: settings["MQTT_USER"],
            password: settings["MQTT_PASSWORD"], group: group)
        if let topics = settings["MQTT_TOPICS"] {
            broker.topics = topics.split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
        }
        guard broker.topics.count <= MQTTLimits.filters else {
            throw SettingError(name: "FURROW_MQTT_TOPICS", reason: "must name at most \(MQTTLimits.filters) topics")
        }
        if let prefix = settings["MQTT_ANNOUNCE"], slot == 0 {
            guard RequestBody.isName(prefix) else {
                throw SettingError(
                    name: "FURROW_MQTT_ANNOUNCE",
                    reason: "must be 1 to 40 letters, digits, hyphens or underscores, such as homeassistant")
            }
            broker.announcement = HomeAssistantAnnouncement(
                prefix: prefix, node: HomeAssistantAnnouncement.node(client))
        }
        if slot > 0 {
            broker.isMember = true
            broker.topics = broker.topics.filter(BrokerSettings.isShareable)
        }
        guard !broker.topics.isEmpty else { return nil }
        let source = ServerSource(
            name: broker.source, authority: address.authority, isSecure: address.isSecure,
            caFile: settings["MQTT_AUTHORITY"],
            advice: "; FURROW_MQTT_AUTHORITY names the file of the authority to trust")
        return (source, broker)
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
        case "znp:" where path.hasPrefix("tcp://"):
            let authority = String(path.dropFirst(6))
            guard authority.contains(":"), authority.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") })
            else {
                throw SettingError(name: "FURROW_SOURCES", reason: "\(name): expected znp:tcp://<host>:<port>")
            }
            return ServerSource(
                name: name, authority: authority, lockPath: SerialSource.lockPath(of: path, in: folder))
        case "znp:" where !path.isEmpty:
            let line = try SerialLineAddress(path)
            return SerialSource(name: name, path: line.path, baud: line.baud, locksIn: folder)
        case "hci:" where !path.isEmpty: return HCISource(name: name, path: path, locksIn: folder)
        default:
            throw SettingError(
                name: "FURROW_SOURCES",
                reason:
                    "\(name): expected znp:<serial device>, znp:tcp://<host>:<port> or hci:<socket, pipe, device or file>"
            )
        }
    }
}
