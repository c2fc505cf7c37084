import EventSourcing
import EventStore
import HTTP
import Host
import System

extension SyncGateway {
    /// Runs the gateway in this process.
    ///
    /// `FURROW_WEB` is the folder of the web pages; `FURROW_HTTP_ADDRESS` and `FURROW_HTTP_PORT` are where people come
    /// (127.0.0.1 and 8080); `FURROW_DEMO_TOKEN` lets a demonstration's simulated farm in.
    public static func main() -> Never {
        run(SyncGateway.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try SQLiteLog(directory: folder, feed: origin.description, why: "created", at: clock.now())
            let tables = try SQLiteTables(
                path: "\(folder)/\(SQLiteTables.fileName)", Folding<SyncGateway>.schemas)
            let vault = try Vault(path: "\(folder)/\(Vault.fileName)")
            let shelf = try Shelf(
                web: settings.required("WEB"), library: "/usr/share/javascript/dygraphs", isSecure: false)
            var plan = Plan(
                service: try SyncGateway(site: settings.site, vault: vault, demoToken: settings["DEMO_TOKEN"]),
                settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] }, listening: .hub)
            plan.web = WebDoor(
                address: settings["HTTP_ADDRESS"] ?? "127.0.0.1",
                port: try settings.number("HTTP_PORT", in: 0...65_535) ?? 8080, shelf: shelf.response(to:))
            plan.idle = {
                try log.idle()
                try tables.idle()
                try vault.idle()
            }
            return plan
        }
    }
}
