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
    /// `FURROW_WEB` is the folder of the web pages. The HTTP listener binds to `FURROW_HTTP_ADDRESS` and
    /// `FURROW_HTTP_PORT` (127.0.0.1 and 8080). `FURROW_MAPS` is a folder of county maps (GeoJSON), by default
    /// `<home>/maps`. `FURROW_DEMO_TOKEN` is the bearer token of a demonstration's simulated farm.
    ///
    /// `FURROW_TRUSTED_PROXIES` lists the reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted;
    /// by default none is.
    ///
    /// `FURROW_HTTPS_PORT` adds a TLS listener at `FURROW_HTTPS_ADDRESS` (by default the HTTP address).
    /// `FURROW_TLS_CERT` and `FURROW_TLS_KEY` are the farm's own certificate and key (PEM files). Without them the
    /// local authority signs a certificate for this machine, the host of `FURROW_PUBLIC_URL` and `FURROW_TLS_NAMES`.
    /// The authority's certificate is written to `<home>/ca.pem`.
    ///
    /// `FURROW_HTTP_CONNECTIONS` (3,000), `FURROW_HTTP_PER_ADDRESS` (512) and `FURROW_HTTP_HALF_OPEN` (128) limit the
    /// connections of each listener: in total, of one address, and of one address without a complete request head.
    /// `FURROW_LIVE_STREAMS` (2,000) and `FURROW_LIVE_PER_ADDRESS` (128) limit the live streams of clients: in total,
    /// and of one address without an account.
    ///
    /// `FURROW_ANONYMOUS_RATE` (100 a second; 0: no limit) and `FURROW_ANONYMOUS_BURST` (3,000) limit the
    /// unauthenticated reads of one network.
    ///
    /// `FURROW_MEDIA_BYTES` (1 GiB) limits the total size of all pictures.
    ///
    /// `FURROW_SMTP` (`smtp://host:port`, or `smtps://`) is the mail server for e-mails to buyers, sent from
    /// `FURROW_MAIL_FROM`. With `FURROW_SMTP_USER` and `FURROW_SMTP_PASSWORD` the server must offer TLS.
    ///
    /// `FURROW_DELIVERY_NETWORKS` lists private networks, and receivers without TLS, to which webhooks may be sent,
    /// and `FURROW_PUSH_NETWORKS` those of push services; by default both are sent to public addresses over TLS only.
    public static func main() -> Never {
        run(SyncGateway.self) { settings, slot, clock in
            let origin = Origin(service: name, site: settings.site, slot: slot.number)
            let folder = slot.folder
            let log = try slot.openJournal(of: origin, settings, at: clock.now())
            let tables = try SQLiteTables(folder: folder, Folding<SyncGateway>.schemas)
            let vault = try Vault(path: "\(folder)/\(Vault.fileName)")
            let shelf = try StaticFiles(
                web: settings.required("WEB"), library: "/usr/share/javascript/dygraphs",
                maps: settings["MAPS"] ?? settings.home() + "/maps")
            var configuration = ServiceConfiguration(
                service: try SyncGateway(
                    site: settings.site, vault: vault, demoToken: settings["DEMO_TOKEN"],
                    media: Media(folder: "\(folder)/media"), provider: try provider(settings),
                    mailer: try mailer(settings), sender: try sender(settings)),
                settings: settings, origin: origin, log: log, tables: tables,
                readers: { [try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")] }, listening: .hub)
            configuration.service.messageTexts = try shelf.messageTexts()
            configuration.service.streamLimits = try StreamLimits(settings)
            configuration.service.meter = try RequestMeter(settings)
            configuration.service.mediaBytes =
                try settings.number("MEDIA_BYTES", in: 0...(1 << 50)) ?? configuration.service.mediaBytes
            configuration.reverseServers = ["sensor-ingest"]
            configuration.web = try endpoints(
                settings, vault, shelf, configuration.service.sealedRequests)
            for identity in configuration.web.compactMap(\.tls) {
                let certificate = try Certificate(pem: identity.certificatePEM)
                configuration.constants["certificate_expiry_timestamp_seconds"] = Double(certificate.expiry)
            }
            // A gateway that only serves reads still has to accept sign-ins.
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

    /// Returns the online payment provider of `FURROW_SANDBOX_PAY`, or nil without it. Requires
    /// `FURROW_SANDBOX_SECRET`.
    private static func provider(_ settings: Settings) throws(SettingError) -> PaymentProvider? {
        guard let url = settings["SANDBOX_PAY"] else { return nil }
        return PaymentProvider(url: url, secret: try settings.required("SANDBOX_SECRET"))
    }

    /// Returns the mailer for `FURROW_SMTP`, or nil without it. Requires `FURROW_MAIL_FROM`.
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

    /// Returns the sender of webhooks and pushes. Push services can reach the operator at the address of e-mails,
    /// or else at the public URL. Apple's service refuses pushes without such an address.
    private static func sender(_ settings: Settings) throws(SettingError) -> ChannelSender {
        let pages = settings["PUBLIC_URL"]
        let contact = pages.flatMap { $0.hasPrefix("https://") ? $0 : nil }
        return ChannelSender(
            policy: try networks("DELIVERY_NETWORKS", settings), pushes: try networks("PUSH_NETWORKS", settings),
            pages: pages, contact: settings["MAIL_FROM"].map { "mailto:\($0)" } ?? contact)
    }

    private static func networks(_ name: String, _ settings: Settings) throws(SettingError) -> AddressPolicy {
        guard let policy = AddressPolicy(allowing: settings[name] ?? "") else {
            throw SettingError(
                name: "FURROW_\(name)",
                reason: "must be addresses or networks in numbers, at most \(AddressPolicy.most): "
                    + "192.168.1.20, 10.0.0.0/8")
        }
        return policy
    }

    /// Returns the limits of one listener. Two listeners together stay within the process's file descriptors.
    private static func limits(_ settings: Settings) throws(SettingError) -> HTTPLimits {
        var limits = HTTPLimits(maxBodyBytes: GatewayLimits.bodyBytes)
        limits.largeBodies = (path: "/v1/photographs", bytes: GatewayLimits.photographBytes)
        let most = 3_500
        limits.maxConnections = try settings.number("HTTP_CONNECTIONS", in: 64...most) ?? limits.maxConnections
        limits.maxPerAddress = try settings.number("HTTP_PER_ADDRESS", in: 8...most) ?? limits.maxPerAddress
        limits.maxHalfOpenPerAddress =
            try settings.number("HTTP_HALF_OPEN", in: 4...most) ?? limits.maxHalfOpenPerAddress
        return limits
    }

    /// Returns the plain HTTP listener and, if `FURROW_HTTPS_PORT` is set, the TLS listener.
    private static func endpoints(
        _ settings: Settings, _ vault: Vault, _ shelf: StaticFiles, _ sealed: SealedRequests
    ) throws -> [HTTPListener] {
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
            staticResponse: shelf.response(to:), carried: sealed.unwrap)
        guard let port = try settings.number("HTTPS_PORT", in: 0...65_535) else { return [plain] }
        let secure = HTTPListener(
            address: settings["HTTPS_ADDRESS"] ?? address, port: port,
            tls: try Identity.find(settings, vault, at: AdjustableClock.machine.microseconds / 1_000_000),
            proxies: proxies, commonHeaders: SecurityHeaders.common, limits: limits,
            staticResponse: shelf.response(to:), carried: sealed.unwrap)
        return [plain, secure]
    }
}
