import Crypto
import EventSourcing
import EventStore
import Host
import HubStore
import System
import Vault
import Wire

extension TraceLedger {
    /// Runs the ledger in this process.
    ///
    /// `FURROW_POSTGRES` is a libpq keyword string for a database of its own. `FURROW_PUBLIC_URL` is the public address
    /// on labels. `FURROW_RETENTION_DAYS` is the age at which photographs are removed that no story shows.
    public static func main() -> Never {
        run(TraceLedger.self) { settings, slot, clock in
            let conninfo = try settings.required("POSTGRES")
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let keys = try LedgerKeys(Vault(path: "\(slot.folder)/vault.db"))
            let log = try HubLog(conninfo, feed: origin.description, why: "created", at: clock.now())
            let tables = try log.tables(Folding<TraceLedger>.schemas)
            let archive = try HubArchive(
                log, conninfo: conninfo, hub: "furrow/\(settings.site)", ed25519: keys.ed25519, p256: keys.p256)
            let address = settings["PUBLIC_URL"]
            guard (address?.utf8.count ?? 0) <= LedgerLimits.addressBytes else {
                throw SettingError(
                    name: "FURROW_PUBLIC_URL",
                    reason: "has more than \(LedgerLimits.addressBytes) bytes; labels must fit a QR code")
            }
            let printer = LabelPrinter(
                kid: keys.kid, publicKey: keys.label.publicKey, publicURL: address,
                sign: { try keys.label.sign($0) })
            var configuration = ServiceConfiguration(
                service: TraceLedger(
                    printer: printer, archive: archive, zones: Zones(),
                    photographDays: try settings.number("RETENTION_DAYS", in: 0...36_500)),
                settings: settings,
                origin: origin, log: log, tables: tables,
                readers: { [try HubReader(conninfo), try OriginReader(conninfo, feed: origin.description)] },
                listening: .origins)
            let zones = Zones()
            configuration.queries = QueryPlan(
                verbs: Set(LedgerQueryName.allCases.filter(\.hasOwnThread).map(\.rawValue)),
                open: { try PostgresReadTables(conninfo, Folding<TraceLedger>.schemas) },
                answer: { answer($0, at: $1, reading: $2, zones) })
            let sign: () throws -> Void = { try archive.sign(at: Clock.monotonicMicroseconds()) }
            configuration.afterCommit = sign
            // Events committed right after a checkpoint would otherwise wait for the next commit, which may take long
            // on a quiet farm.
            configuration.idle = sign
            configuration.growth = { try HubReader(conninfo).growth() }
            return configuration
        }
    }
}
