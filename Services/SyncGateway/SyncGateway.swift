import Crypto
public import EventSourcing
import EventStore
public import Events
import HTTP
public import Host
import JSON
public import Vault
public import Vocabulary
import Wire

/// The farm's only external interface. It authenticates people and programs, forwards their requests to other services,
/// and publishes what happens.
///
/// It decides who may access the system, and nothing about plots, lots or sensors.
public struct SyncGateway: Service {
    public static let name = "sync-gateway"
    public static let tables = [
        StaffRow.schema, GatewayAlarmRow.schema, GatewayDevicePlaceRow.schema, CalibrationRow.schema, SyncRow.schema,
        SyncLogRow.schema, SyncLotRow.schema, OutboxRow.schema, FailedMessageRow.schema,
        AuditRow.schema, ChannelRow.schema, DeliveryRow.schema, MediaUseRow.schema, UnusedMediaRow.schema,
        ServerTroubleRow.schema, NotifyingPromotionRow.schema, PersonNotificationsRow.schema,
    ]

    /// An ingest process announces with `hello` that it takes batches, and sends what its readers receive now.
    public static let allowedVerbs: [String: Set<String>] = [
        SensorCommandName.service: [GatewayRequestName.hello.rawValue, GatewayRequestName.beaconsNear.rawValue]
    ]

    let site: String
    let accounts: Accounts
    let media: Media?
    let gateways: RadioGateways
    var deviceKeys: DeviceKeys
    /// The SHA-256 of the bearer token of a demonstration's simulated farm.
    let demoToken: String?
    /// The hash that passwords for unknown accounts are checked against, so that a check takes the same time.
    let nobodysHash: String

    var batchMemory: BatchRouting
    var slots: Slots
    /// Limits accounts and reset links per network.
    var throttle = Throttle()
    /// The passwords that wait to be hashed, and the work to do when it is their turn.
    var passwords = PasswordQueue()
    var passwordWork: [UInt64: @Sendable () -> [UInt8]] = [:]
    var proxies = ProxyEvidence()
    var signIns = SignInCount()
    /// The addresses for which a reset link was requested since the last tick, and the e-mails that the mail server has
    /// not accepted yet.
    var resetRequests: [(email: String, token: String)] = []
    var resetLetters: [(due: UInt64, letter: ResetEmail)] = []
    let devices: KnownDevices
    var recent = RecentCommands()
    var live = LiveFeed()
    var nearby = NearbyBeacons()
    var contacts = GatewayContacts()
    /// When this process started, by the machine's clock.
    private(set) var started: Instant?
    var streamLimits = StreamLimits()
    /// Limits unauthenticated reads by network.
    var meter = RequestMeter()
    /// The limit of the total size of all pictures, in bytes.
    var mediaBytes = GatewayLimits.mediaBytes
    var mediaSweep = MediaSweep()
    var troubles = TroubleWatch()
    /// The texts of letters, notifications and reports in other languages than English.
    var messageTexts: [PageLanguage: MessageTexts] = [:]
    /// The online payment provider; nil if all orders are paid on pickup.
    let provider: PaymentProvider?
    /// Sends e-mails; nil if no mail server is configured.
    let mailer: Mailer?
    /// Sends to webhooks and push services.
    let sender: ChannelSender
    let channels: Channels
    let signing: ResponseSigning
    let sealedRequests: SealedRequests
    var sending = OutboxScheduler()
    /// What could be bought when it was needed last.
    var shopStock: ShopStock?
    /// The requests that wait for another service, and those that wait for a worker.
    var pendingCalls: [UInt64: PendingCall] = [:]
    var jobs: [UInt64: PendingWork] = [:]
    /// The CSV files whose last page is being sent.
    var downloads: [UInt64: Download] = [:]
    var batches: [UInt64: Batch] = [:]
    var operations: [UInt64: Operations] = [:]
    var pushes: [UInt64: Push] = [:]
    /// References to accounts of which no event has been consumed yet.
    var unresolved = UnresolvedReferences()
    /// Passports whose proof is requested again at a tick.
    var proofs: [(due: UInt64, call: PassportCall)] = []
    private var lastToken: UInt64 = 0
    private(set) var tick: UInt64 = 0
    /// The machine's wall-clock time. A demonstration's accelerated clock is separate.
    private(set) var time = Instant(microseconds: 0)
    private var cleaning = SteadyClock()
    private var hasWallTime = false
    private var hub: Position?
    var snapshots = SyncSnapshots()
    /// The number of buyers' accounts; nil until it was counted.
    var buyers: Int?

    /// Creates the gateway. Throws if the vault cannot be read or a hash cannot be made.
    ///
    /// - Parameter demoToken: an administrator's bearer token that needs no account; only set in demonstrations.
    /// - Parameter media: the store of the pictures; without it none are accepted.
    /// - Parameter provider: the online payment provider; nil if all orders are paid on pickup.
    /// - Parameter mailer: sends e-mails to the staff and to buyers.
    /// - Parameter sender: sends to webhooks and push services.
    public init(
        site: String, vault: Vault, demoToken: String? = nil, media: Media? = nil, provider: PaymentProvider? = nil,
        mailer: Mailer? = nil, sender: ChannelSender = ChannelSender()
    ) throws {
        self.media = media
        self.site = site
        self.provider = provider
        self.mailer = mailer
        self.sender = sender
        channels = try Channels(vault)
        signing = try ResponseSigning(vault)
        sealedRequests = try SealedRequests(vault)
        self.demoToken = demoToken.map(Accounts.fingerprint)
        accounts = Accounts(vault)
        devices = KnownDevices(vault)
        gateways = RadioGateways(vault)
        deviceKeys = DeviceKeys(vault)
        batchMemory = try BatchRouting(vault)
        slots = Slots(known: batchMemory.latest)
        nobodysHash = try PasswordHash.make(BaseEncoding.base64.encode(Random.bytes(18)))
    }

    public static func fold(_ told: RecordedEvent, into tables: some Tables) {
        switch told.fact {
        case .sync(let fact):
            AuditViews.apply(fact, told.envelope, to: tables)
            GatewayViews.apply(fact, told.envelope, to: tables, board(tables))
        case .sensors(let fact): GatewayViews.apply(fact, told.envelope, to: tables)
        case .trace(let fact):
            SyncViews.apply(fact, told.envelope, to: board(tables))
            MediaViews.apply(fact, told.envelope, to: tables)
        case .catalog(let fact):
            SyncViews.apply(fact, told.envelope, to: board(tables))
            MediaViews.apply(fact, told.envelope, to: tables)
            PromotionMessages.apply(fact, told.envelope, to: tables)
        case .orders(let fact):
            GatewayViews.apply(fact, told.envelope, to: tables)
            SyncOrderViews.apply(fact, to: board(tables))
        case .inventory(let fact): MediaViews.apply(fact, to: tables)
        case .journal, .recommendations: break
        }
    }

    private static func board(_ tables: some Tables) -> SyncRecordWriter {
        SyncRecordWriter(tables, at: tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position ?? 0)
    }

    public mutating func update(isUpToDate: Bool) { unresolved.isUpToDate = isUpToDate }

    public mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        if !hasWallTime { time = now }
        if hub == nil { hub = tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position }
        switch input {
        case .ticked(let wall, let boot): return ticked(wall, boot, tables)
        case .requested(let web): return serve(web, tables)
        case .answered(let token, let outcome): return answered(token, outcome)
        case .finished(let token, let result): return finished(token, result)
        case .asked(let ask):
            return answer(ask, tables)
        case .heard(_, let events):
            hub = tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position
            return live.hear(events, seeing: tables, name: accounts.name)
        case .opened, .received: return []
        }
    }

    private mutating func ticked(_ wall: Instant, _ boot: BootTime?, _ tables: any Tables) -> [Effect] {
        time = wall
        started = started ?? wall
        tick += 1
        var effects = live.tick(tick)
        let due = proofs.filter { $0.due <= tick }
        proofs.removeAll { $0.due <= tick }
        for (_, call) in due { effects += proving(call) }
        if !hasWallTime { effects += reconciled(tables) }
        if tick.isMultiple(of: GatewayLimits.cleaningTicks), cleaning.isSteady(wall, boot) { effects += cleaned() }
        effects +=
            sendMessages(tables) + sweptMedia(tables) + watchedReports(tables) + promotionNotifications(tables)
            + startPasswords() + makeResets()
            + sendResets()
        if tick.isMultiple(of: GatewayLimits.countingTicks) { effects += countedSignIns() }
        hasWallTime = true
        return effects
    }

    /// Returns the account events that the journal lacks: a process that stopped between the vault and the journal left
    /// them out.
    private func reconciled(_ tables: any Tables) -> [Effect] {
        do {
            var drafts: [Draft] = []
            func reconcile(_ account: Account) {
                guard tables.get(StaffRow.self, account.person.rawValue) == nil else { return }
                drafts.append(Self.enrolment(of: account.person, as: account.role, by: .service(Self.name)))
            }
            for account in try accounts.all() { reconcile(account) }
            try accounts.eachBuyer(reconcile)
            var after: String?
            while true {
                let page = tables.scan(StaffRow.self, prefix: "", after: after, limit: GatewayLimits.accounts)
                for row in page where row.erased == nil {
                    let person = PersonID(row.key)
                    guard try accounts.isErased(person) else { continue }
                    drafts.append(Self.erasure(of: person, by: .service(Self.name)))
                }
                guard let last = page.last else { break }
                after = last.key
            }
            return drafts.map { .append([$0]) } + (try reconciledChannels(tables))
        } catch {
            return [.note(OperatorEvent("vault_failures"))]
        }
    }

    private func cleaned() -> [Effect] {
        do {
            try accounts.clean(at: time)
            return []
        } catch {
            return [.note(OperatorEvent("vault_failures"))]
        }
    }

    // MARK: Requests of other processes

    /// Responds to a request of another process.
    private mutating func answer(_ ask: Request, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            switch GatewayRequestName(rawValue: ask.verb) {
            case .hello: return [.reply(ask, try greet(ask, body))]
            case .proxyEvidence: return [.reply(ask, try tellProxies(ask))]
            case .auditLog: return [.reply(ask, try auditLog(ask, body, tables))]
            case .setupLink: return [.reply(ask, try makeSetupLink(ask))]
            case .userReset: return resetUser(ask)
            case .beaconsNear: return show(beaconsOf: ask)
            case .deviceKey: return changeDeviceKey(ask)
            case .serverReport: return serverReport(ask, tables)
            case nil: throw Problem(404, "unknown-verb", "The gateway does not know how to \(ask.verb).")
            }
        } catch {
            return [.reply(ask, error.answer)]
        }
    }

    private mutating func greet(_ ask: Request, _ body: RequestBody) throws(Problem) -> Response {
        let origin: Origin = try body.get("origin")
        guard ask.actor == .service("sensor-ingest"), origin.service == "sensor-ingest", origin.site == site,
            origin.slot < GatewayLimits.slots, try body.get("slot", as: Int.self) == origin.slot
        else { throw Problem(409, "another-site", "This gateway takes batches for sensor-ingest/\(site) only.") }
        slots.hello(from: origin.slot, at: tick)
        let newer = try deviceKeys(unlike: try body.find("keys"))
        return .made { json in
            if let newer { DeviceKey.write(newer.keys, newer.digest, to: &json) }
        }
    }

    /// Stores what a reader receives now, and shows it to the people who watch.
    private mutating func show(beaconsOf ask: Request) -> [Effect] {
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            guard ask.actor == .service("sensor-ingest") else {
                throw Problem(403, "not-allowed", "Only sensor-ingest sends what its readers receive.")
            }
            let reader: String = try body.get("reader")
            let isEmpty = try body.get("beacons", as: [JSONAny].self).isEmpty
            let isShown = nearby.note(ask.body, of: reader, isEmpty: isEmpty, at: tick)
            let reply = Effect.reply(ask, .made { _ in })
            return isShown ? [.publish(topic: LiveFeed.beaconTopic, name: "beacons", data: ask.body), reply] : [reply]
        } catch {
            return [.reply(ask, error.answer)]
        }
    }

    private func makeSetupLink(_ ask: Request) throws(Problem) -> Response {
        guard ask.actor == .service("console") else {
            throw Problem(403, "not-allowed", "Only the operator's command makes set-up links.")
        }
        let token = BaseEncoding.base64url.encode(SHA256.hash(Array("setup".utf8), ask.entropy))
        let expires = time.advanced(bySeconds: GatewayLimits.setupSeconds)
        try vault { () throws(VaultError) in
            guard try accounts.administrators == 0 else { return false }
            try accounts.makeLink(token, until: expires)
            return true
        }.otherwise(Problem(409, "set-up", "There is an administrator already."))
        return .made { json in
            json.field("token", token)
            json.field("expires", expires)
        }
    }

    /// Returns the evidence of an untrusted proxy, for `furrow doctor`.
    private func tellProxies(_ ask: Request) throws(Problem) -> Response {
        guard ask.actor == .service("console") else {
            throw Problem(403, "not-allowed", "Only the operator's command asks for this.")
        }
        return .made { json in
            json.field("forwarder", ifPresent: proxies.forwarder)
            json.field("shared", ifPresent: proxies.shared?.address)
            json.field("accounts", ifPresent: proxies.shared?.accounts)
        }
    }

    // MARK: Pending work and responses

    mutating func takeToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Stores a pending call and sends its request. Throws if too many are pending.
    mutating func begin(_ pendingCall: PendingCall, _ outgoing: (UInt64) -> OutgoingRequest) throws(Problem) -> [Effect]
    {
        guard pendingCalls.count + proofs.count < GatewayLimits.pendingCalls else { throw .busy }
        lastToken += 1
        pendingCalls[lastToken] = pendingCall
        return [.ask(outgoing(lastToken))]
    }

    /// Stores pending work and starts it on a worker. Throws if `most` of its kind are pending.
    mutating func begin(
        _ job: PendingWork, most: Int, _ work: @escaping @Sendable () -> [UInt8]
    ) throws(Problem) -> [Effect] {
        guard jobs.values.count(where: { $0.bench == job.bench }) < most else { throw .busy }
        lastToken += 1
        jobs[lastToken] = job
        if let recipient = job.recipient { return [.deliver(token: lastToken, to: recipient, work)] }
        return [.work(token: lastToken, work)]
    }

    func respond(_ web: WebRequest, _ response: HTTPResponse) -> Effect {
        .respond(web, dressed(response, for: web))
    }

    /// Returns the response with the headers that every response carries.
    func dressed(_ response: HTTPResponse, for web: WebRequest) -> HTTPResponse {
        var response = response
        SecurityHeaders.add(to: &response, for: web.request)
        if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
        NodeCaching.add(to: &response, for: web.request)
        if let ignored = UnknownNames.ignored(in: web.request) {
            response.headers["Preference-Applied"] = "handling=lenient"
            if !ignored.isEmpty { response.headers[UnknownNames.ignoredHeader] = ignored }
        }
        if let hub { response.headers["Furrow-Hub-Position"] = String(hub) }
        signing.sign(&response, for: web.request, at: time)
        return response
    }

    func respond(_ web: WebRequest, _ problem: Problem) -> Effect {
        respond(web, HTTPResponse(problem))
    }

    /// Runs `body` on the vault; throws a vault error as a `Problem`.
    func vault<Value>(_ body: () throws(VaultError) -> Value) throws(Problem) -> Value {
        do {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    static func enrolment(of person: PersonID, as role: Role, by actor: Actor) -> Draft {
        let event: any Event =
            role == .buyer ? BuyerEnrolled(person: person) : StaffEnrolled(person: person, role: role)
        return Draft(
            event, in: "person/\(person)", id: .named("enrolled|\(person)", in: .furrow), by: actor)
    }

    static func erasure(of person: PersonID, by actor: Actor) -> Draft {
        Draft(
            PersonErased(person: person), in: "person/\(person)", id: .named("erased|\(person)", in: .furrow), by: actor
        )
    }
}
