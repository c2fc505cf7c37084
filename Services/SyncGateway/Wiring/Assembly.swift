import Crypto
import EventSourcing
import EventStore
import HTTP
import Host
import System
import Vault
import Vocabulary

extension SyncGateway {
    /// Runs the gateway in this process.
    ///
    /// `FURROW_WEB` is the folder of the web pages; `FURROW_HTTP_ADDRESS` and `FURROW_HTTP_PORT` are where people come
    /// (127.0.0.1 and 8080); `FURROW_MAPS` is a folder of county maps (GeoJSON), `<home>/maps` where it is unset;
    /// `FURROW_DEMO_TOKEN` lets a demonstration's simulated farm in.
    ///
    /// `FURROW_TRUSTED_PROXIES` lists the reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed;
    /// without it nobody's are.
    ///
    /// With `FURROW_HTTPS_PORT` they can come over TLS, too, at `FURROW_HTTPS_ADDRESS` (the same). `FURROW_TLS_CERT`
    /// and
    /// `FURROW_TLS_KEY` are the farm's own certificate and key (PEM files); without them the local authority signs one
    /// for this machine, the host of `FURROW_PUBLIC_URL` and `FURROW_TLS_NAMES`, and its own goes to `<home>/ca.pem`.
    ///
    /// `FURROW_HTTP_CONNECTIONS` (3,000), `FURROW_HTTP_PER_ADDRESS` (512) and `FURROW_HTTP_HALF_OPEN` (128) limit the
    /// connections of each listener: in all, of one address, and of one address without a whole request head.
    /// `FURROW_LIVE_STREAMS` (2,000) and `FURROW_LIVE_PER_ADDRESS` (128) limit the live streams of clients: in all, and
    /// of one address without an account.
    ///
    /// `FURROW_ANONYMOUS_RATE` (100 a second; 0: no limit) and `FURROW_ANONYMOUS_BURST` (3,000) limit the reads of one
    /// network without an account.
    ///
    /// `FURROW_MEDIA_BYTES` limits the bytes of all pictures together (1 GiB).
    ///
    /// With `FURROW_SMTP` (`smtp://host:port`, or `smtps://`) buyers are written to, from `FURROW_MAIL_FROM`. With
    /// `FURROW_SMTP_USER` and `FURROW_SMTP_PASSWORD` the server has to offer TLS.
    public static func main() -> Never {
        run(SyncGateway.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try SQLiteLog(directory: folder, feed: origin.description, why: "created", at: clock.now())
            let tables = try SQLiteTables(folder: folder, Folding<SyncGateway>.schemas)
            let vault = try Vault(path: "\(folder)/\(Vault.fileName)")
            let shelf = try StaticFiles(
                web: settings.required("WEB"), library: "/usr/share/javascript/dygraphs",
                maps: settings["MAPS"] ?? settings.home() + "/maps")
            var configuration = ServiceConfiguration(
                service: try SyncGateway(
                    site: settings.site, vault: vault, demoToken: settings["DEMO_TOKEN"],
                    media: Media(folder: "\(folder)/media"), provider: try provider(settings),
                    mailer: try mailer(settings)),
                settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] }, listening: .hub)
            configuration.service.streamLimits = try StreamLimits(settings)
            configuration.service.meter = try RequestMeter(settings)
            configuration.service.mediaBytes =
                try settings.number("MEDIA_BYTES", in: 0...(1 << 50)) ?? configuration.service.mediaBytes
            configuration.reverseServers = ["sensor-ingest"]
            configuration.web = try endpoints(settings, vault, shelf)
            for identity in configuration.web.compactMap(\.tls) {
                let certificate = try Certificate(pem: identity.certificatePEM)
                configuration.constants["certificate_expiry_timestamp_seconds"] = Double(certificate.expiry)
            }
            // Who comes in to read has to sign in.
            let isRead = configuration.isRead
            configuration.isRead = { isRead($0) || $0.path == "/v1/sessions" || $0.path.hasPrefix("/v1/sessions/") }
            configuration.idle = {
                try log.idle()
                try tables.idle()
                try vault.idle()
            }
            return configuration
        }
    }

    /// Where orders are paid that are not paid in the hand, with `FURROW_SANDBOX_PAY` and its secret.
    private static func provider(_ settings: Settings) throws(SettingError) -> PaymentProvider? {
        guard let url = settings["SANDBOX_PAY"] else { return nil }
        return PaymentProvider(url: url, secret: try settings.required("SANDBOX_SECRET"))
    }

    /// Who takes letters to buyers, with `FURROW_SMTP`.
    private static func mailer(_ settings: Settings) throws(SettingError) -> Mailer? {
        guard let server = settings["SMTP"] else { return nil }
        guard server.hasPrefix("smtp://") || server.hasPrefix("smtps://") else {
            throw SettingError(name: "FURROW_SMTP", reason: "has to begin with smtp:// or smtps://")
        }
        let sender = try settings.required("MAIL_FROM")
        guard sender.split(separator: "@", omittingEmptySubsequences: false).count == 2 else {
            throw SettingError(name: "FURROW_MAIL_FROM", reason: "is no e-mail address")
        }
        let account = try settings["SMTP_USER"].map { user throws(SettingError) in
            (user: user, password: try settings.required("SMTP_PASSWORD"))
        }
        return Mailer(MailClient(server: server, account: account), sender: sender, pages: settings["PUBLIC_URL"])
    }

    /// Of one listener; both together stay within the descriptors of the process.
    private static func limits(_ settings: Settings) throws(SettingError) -> HTTPLimits {
        var limits = HTTPLimits(maxBodyBytes: GatewayLimits.bodyBytes)
        let most = 3_500
        limits.maxConnections = try settings.number("HTTP_CONNECTIONS", in: 64...most) ?? limits.maxConnections
        limits.maxPerAddress = try settings.number("HTTP_PER_ADDRESS", in: 8...most) ?? limits.maxPerAddress
        limits.maxHalfOpenPerAddress =
            try settings.number("HTTP_HALF_OPEN", in: 4...most) ?? limits.maxHalfOpenPerAddress
        return limits
    }

    /// The plain door, and the one over TLS where a port is set.
    private static func endpoints(_ settings: Settings, _ vault: Vault, _ shelf: StaticFiles) throws -> [HTTPListener] {
        let address = settings["HTTP_ADDRESS"] ?? "127.0.0.1"
        guard let proxies = TrustedProxies(settings["TRUSTED_PROXIES"] ?? "") else {
            throw SettingError(
                name: "FURROW_TRUSTED_PROXIES",
                reason: "must be addresses or networks in numbers, at most \(TrustedProxies.most): "
                    + "10.0.0.7, 172.16.0.0/12")
        }
        let limits = try Self.limits(settings)
        let plain = HTTPListener(
            address: address, port: try settings.number("HTTP_PORT", in: 0...65_535) ?? 8080,
            proxies: proxies, commonHeaders: SecurityHeaders.common, limits: limits,
            staticResponse: shelf.response(to:))
        guard let port = try settings.number("HTTPS_PORT", in: 0...65_535) else { return [plain] }
        let secure = HTTPListener(
            address: settings["HTTPS_ADDRESS"] ?? address, port: port,
            tls: try Identity.find(settings, vault, at: AdjustableClock.machine.microseconds / 1_000_000),
            proxies: proxies, commonHeaders: SecurityHeaders.common, limits: limits,
            staticResponse: shelf.response(to:))
        return [plain, secure]
    }
}
