import EventSourcing
import EventStore
import Host
import Vault
import Wire

extension CatalogOrders {
    /// Runs the market in this process.
    ///
    /// With `FURROW_SANDBOX_PAY`, the address of a sandbox provider, orders can be paid before they are picked up.
    public static func main() -> Never {
        run(CatalogOrders.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try slot.openJournal(of: origin, settings, at: clock.now())
            let tables = try SQLiteTables(folder: folder, Folding<CatalogOrders>.schemas)
            let vault = try Vault(path: "\(folder)/\(Vault.fileName)")
            var configuration = ServiceConfiguration(
                service: CatalogOrders(vault: vault, hasSandbox: settings["SANDBOX_PAY"] != nil), settings: settings,
                origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] }, listening: .hub)
            configuration.queries = QueryPlan(
                verbs: Set(MarketQueryName.allCases.filter(\.readsTablesAlone).map(\.rawValue)),
                shared: Set(MarketQueryName.allCases.filter(\.isShared).map(\.rawValue)),
                open: { try SQLiteReadTables(folder: folder, Folding<CatalogOrders>.schemas) },
                answer: answer)
            configuration.idle = {
                try log.idle()
                try tables.idle()
                try vault.idle()
            }
            return configuration
        }
    }
}
