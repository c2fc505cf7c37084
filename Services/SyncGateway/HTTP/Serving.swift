import Crypto
import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Serves HTTP requests: checks them, finds their route, and handles or forwards them.
extension SyncGateway {
    mutating func serve(_ web: WebRequest, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            switch Router.find(web.request.method, web.request.path) {
            case .nothing: throw Problem(404, "not-found", "There is nothing at this address.")
            case .otherMethods(let allowed):
                let problem = Problem(405, "method", "This address takes \(allowed.joined(separator: ", ")).")
                return [respond(web, HTTPResponse(problem).with("Allow", allowed.joined(separator: ", ")))]
            case .found(let route, let values): return try start(call(web, route, values), tables)
            }
        } catch {
            return [respond(web, error)]
        }
    }

    private func call(
        _ web: WebRequest, _ route: Route, _ values: [(name: String, value: String)]
    ) throws(Problem) -> RequestContext {
        try RequestGuard.checkForm(of: web.request, for: route)
        let caller = try caller(of: web.request)
        let gateway = try caller == nil ? radioGateway(of: web.request, for: route) : nil
        try RequestGuard.checkOwner(of: web.request, for: route, caller)
        if gateway == nil { try RequestGuard.admit(caller, to: route) }
        let key = try RequestGuard.key(of: web.request, for: route)
        try UnknownNames.check(web.request, for: route)
        var parameters = values
        for parameter in route.parameters {
            guard let value = web.request.query.first(where: { $0.name == parameter.name })?.value else {
                guard !parameter.isRequired else {
                    throw Problem(400, "malformed", "\(parameter.name): is missing.")
                }
                continue
            }
            try parameter.schema.check(value, parameter.name)
            parameters.append((parameter.name, value))
        }
        for (name, value) in values where value.utf8.count > GatewayLimits.parameterBytes {
            throw Problem(400, "malformed", "\(name): use at most \(GatewayLimits.parameterBytes) bytes.")
        }
        let call = RequestContext(
            web: web, route: route, parameters: parameters, caller: caller, gateway: gateway, key: key)
        try call.checkBody()
        return call
    }

    private func caller(of request: HTTPRequest) throws(Problem) -> Caller? {
        guard let token = SessionCookie.token(of: request) else { return nil }
        if let demoToken, demoToken == Accounts.fingerprint(token) { return .demonstration }
        return try vault { () throws(VaultError) in try accounts.caller(token, at: time) }
    }

    private mutating func start(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        if let seconds = secondsToWait(call) { return tooMany(call, seconds) }
        switch call.route.duty {
        case .command(let name):
            let command = Forwarded(
                name, to: address(of: name.request), body: try call.ask(), actor: call.actor, key: call.key ?? "",
                trace: call.web.trace)
            return try begin(.command(call.web, command)) {
                command.outgoing($0, seconds: GatewayLimits.commandSeconds)
            }
        case .query(let name) where call.wantsCSV: return try download(call, name)
        case .query(let name):
            let known = call.route.isShared ? EntityTags.known(by: call.web.request) : []
            return try query(call, name, try call.ask(), as: .json, known: known)
        case .own(let action): return try perform(action, call, tables)
        }
    }

    /// Counts an unauthenticated read. Returns nil, or the seconds until its network may send the next one.
    private mutating func secondsToWait(_ call: RequestContext) -> Int? {
        guard call.caller == nil, call.gateway == nil, call.route.isMetered else { return nil }
        let network = CallerNetwork.of(call.web.request.peer)
        return meter.take(call.route.cost, from: network, at: tick)
    }

    private func tooMany(_ call: RequestContext, _ seconds: Int) -> [Effect] {
        let problem = Problem(
            429, "too-many-requests",
            "Too many requests without an account came from this network; go on after Retry-After, or sign in.")
        return [
            respond(call.web, HTTPResponse(problem).with("Retry-After", String(seconds))),
            .note(OperatorEvent("anonymous_requests_refused")),
        ]
    }

    private mutating func perform(_ action: Action, _ call: RequestContext, _ tables: any Tables) throws(Problem)
        -> [Effect]
    {
        switch action {
        case .describe:
            let response = HTTPResponse(status: 200, type: "application/json", body: OpenAPI.document)
            return [respond(call.web, response.with("Cache-Control", "no-cache"))]
        case .setUp: return try setUp(call, tables)
        case .signIn: return try signIn(call)
        case .signOut: return try signOut(call)
        case .tellMe: return tellMe(call)
        case .listAccounts: return try listAccounts(call)
        case .enrol: return try enrol(call, tables)
        case .erase: return try erase(call, tables)
        case .admitGateway: return try admitGateway(call)
        case .listGateways: return try listGateways(call)
        case .listBeacons:
            let reader = call.parameter("reader")
            return [respond(call.web, .made { nearby.write(reader, at: tick, to: &$0) })]
        case .dismissGateway: return try dismissGateway(call)
        case .listDeviceKeys: return try listDeviceKeys(call)
        case .setDeviceKey: return try setDeviceKey(call)
        case .removeDeviceKey: return try removeDeviceKey(call)
        case .signUp: return try signUp(call, tables)
        case .changePassword: return try changePassword(call, tables)
        case .setLanguage: return try setLanguage(call)
        case .setNotificationHours: return try setNotificationHours(call)
        case .listSessions: return try listSessions(call)
        case .endSession: return try endSession(call)
        case .endSessions: return try endSessions(call)
        case .requestReset: return try requestReset(call)
        case .resetPassword: return try resetPassword(call, tables)
        case .auditLog: return [try tellAuditLog(call, tables)]
        case .eraseMe: return try eraseMe(call, tables)
        case .exportMe: return try exportMe(call)
        case .hearNotice: return try hearNotice(call)
        case .live: return try watch(call)
        case .pullLive: return watch(call, .clients, topics: [LiveFeed.syncTopic])
        case .pull: return try pull(call, tables)
        case .push: return try push(call)
        case .present: return try present(call, tables)
        case .keepMedia: return try keepMedia(call)
        case .takePhotograph: return try takePhotograph(call)
        case .takePhotographByToken: return try takePhotograph(try sender(of: call, key: call.key ?? ""))
        case .media: return try giveMedia(call)
        case .commandStatus: return try tellStatus(call)
        case .operations: return try tellOperations(call, tables)
        case .listGivenUp: return [listGivenUp(call, tables)]
        case .makeWebhook: return try makeWebhook(call, tables)
        case .listWebhooks: return try listWebhooks(call, tables)
        case .removeWebhook: return try removeWebhook(call)
        case .testWebhook: return try testWebhook(call)
        case .listOwnChannels: return try listOwnChannels(call, tables)
        case .subscribePush: return try subscribePush(call, tables)
        case .removeOwnChannel: return try removeOwnChannel(call)
        case .testOwnChannel: return try testOwnChannel(call)
        case .listNotifications: return [listNotifications(call, tables)]
        case .sendAdverts: return try sendAdverts(call)
        case .uplink: return try uplink(call)
        case .reportByAddress: return try reportByAddress(call)
        case .reportHub: return try reportHub(call, as: try gateway(of: call))
        case .sendCapture: return try sendCapture(call)
        case .sendValues: return try sendValues(try call.body(), of: call)
        case .passport: return try tellPassport(call)
        case .publisherKey: return [respond(call.web, signing.publicKey)]
        case .sealingKey: return [respond(call.web, sealedRequests.publicKey)]
        case .ledgerKeys: return try query(call, .ledger(.ledgerKeys), Array("{}".utf8), as: .json)
        case .checkpoint: return try query(call, .ledger(.checkpoint), Array("{}".utf8), as: .note)
        case .tile: return try tellTile(call)
        case .shelves: return try tellShelves(call)
        case .picks: return try tellPicks(call, tables)
        case .why: return try tellWhy(call)
        case .gorse(let what): return try gorse(call, what)
        case .labels(let format): return try tellLabels(call, format)
        case .stocktakeReport: return try report(StocktakeReportCall(call))
        case .mailStocktakeReport:
            let to: String = try call.body().get("to")
            return try report(StocktakeReportCall(call, to: to))
        }
    }

    /// Returns who answers a request: of the slots of sensor-ingest, slot 0.
    func address(of request: any RequestName) -> String {
        request.service == SensorCommandName.service ? ingest(0) : request.service
    }

    private func ingest(_ slot: Int) -> String {
        Origin(service: SensorCommandName.service, site: site, slot: slot).description
    }

    mutating func query(
        _ call: RequestContext, _ query: QueryName, _ body: [UInt8], as form: QueryForm,
        known: [String] = []
    ) throws(Problem) -> [Effect] {
        let receiver = address(of: query.request)
        return try begin(.query(call.web, form)) { token in
            OutgoingRequest(
                query.request, to: receiver, body: body, actor: call.actor, known: known, token: token,
                seconds: GatewayLimits.querySeconds)
        }
    }

    // MARK: Requests that the gateway handles itself

    private func watch(_ call: RequestContext) throws(Problem) -> [Effect] {
        let asked = call.parameter("topics")?.split(separator: ",").map(String.init) ?? LiveFeed.topics
        guard !asked.isEmpty, asked.allSatisfy(LiveFeed.allTopics.contains) else {
            throw Problem(400, "malformed", "topics: \(LiveFeed.allTopics.joined(separator: ", ")).")
        }
        return watch(call, .staff, topics: asked)
    }

    private func watch(_ call: RequestContext, _ audience: StreamLimits.Audience, topics: [String]) -> [Effect] {
        let head = dressed(HTTPResponse(status: 200, type: "text/event-stream"), for: call.web)
        guard !call.web.request.isHead else { return [.respond(call.web, head)] }
        let rights = call.caller.map { [LiveFeed.topic(of: $0.person)] + ($0.session.map { [$0] } ?? []) } ?? []
        let place = streamLimits.place(of: call, in: audience)
        return [.subscribe(call.web, place: place, topics: topics + rights, head: head)]
    }

    private mutating func tellStatus(_ call: RequestContext) throws(Problem) -> [Effect] {
        guard let command = recent.find(call.actor, call.parameter("key") ?? "") else {
            throw Problem(
                404, "unknown-command",
                "Nothing is open under this key; send the change again with it, and it is done once.")
        }
        return try begin(.status(call.web, command)) { command.outgoing($0, seconds: GatewayLimits.statusSeconds) }
    }

    private mutating func sendAdverts(_ call: RequestContext) throws(Problem) -> [Effect] {
        try forward(try call.body(), of: call)
    }

    /// Records the advertisements that a gateway of another make posts in its own form.
    ///
    /// If it sends no idempotency key, the hash of the body is the key: a body that is sent again is recorded once.
    private mutating func uplink(_ call: RequestContext) throws(Problem) -> [Effect] {
        let body = call.web.request.body
        let sender = try sender(of: call, key: call.key ?? Hex.encode(SHA256.hash(body)))
        return try forward(try RequestBody(UplinkBody.adverts(in: body)), of: sender)
    }

    /// Records the values in the address. Each request is a report of its own: these devices repeat none.
    private mutating func reportByAddress(_ call: RequestContext) throws(Problem) -> [Effect] {
        let sender = try sender(of: call, key: Hex.encode(call.web.entropy))
        guard !call.web.request.isHead else { return [respond(call.web, HTTPResponse(status: 200))] }
        return try sendValues(try RequestBody(UplinkQuery.values { call.parameter($0) }), of: sender)
    }

    /// Returns the call of the radio gateway whose token it carries. Throws if it carries none.
    private func sender(of call: RequestContext, key: String) throws(Problem) -> RequestContext {
        RequestContext(
            web: call.web, route: call.route, parameters: call.parameters, caller: nil, gateway: try gateway(of: call),
            key: key)
    }

    /// Returns the radio gateway whose token a call carries. Throws if it carries none.
    private func gateway(of call: RequestContext) throws(Problem) -> RadioGateway {
        guard let token = UplinkToken.of(call.web.request, inPath: call.parameter("token")),
            let gateway = try vault({ () throws(VaultError) in try gateways.gateway(with: token) })
        else { throw .gatewayUnknown }
        return gateway
    }

    private mutating func forward(_ body: RequestBody, of call: RequestContext) throws(Problem) -> [Effect] {
        let key = call.key ?? ""
        // The batch is checked before its division is stored, so that a malformed batch leaves no record.
        _ = try Batch.divide(body, among: [0])
        if let gateway = call.gateway { try note(body, "adverts", of: gateway) }
        let live = slots.live(at: tick)
        let among: [Int]
        do throws(VaultError) {
            among = try batchMemory.slots(of: call.actor, key, live: live)
        } catch {
            throw Problem(error)
        }
        let parts = try Batch.divide(body, among: among, source: call.gateway?.source).map { slot, body in
            Forwarded(
                .reception(.ingestAdverts), to: ingest(slots.successor(of: slot, at: tick)), body: body,
                actor: call.actor, key: "\(key)#\(slot)", trace: call.web.trace)
        }
        return try send(parts, for: call)
    }

    /// Records what another program has decoded. One slot takes it all: such reports are few.
    private mutating func sendValues(
        _ body: RequestBody, of call: RequestContext
    ) throws(Problem) -> [Effect] {
        let reports: JSONAny = try body.get("reports")
        if let gateway = call.gateway { try note(body, "reports", of: gateway) }
        let named = try body.optionalText("source")
        var json = JSONWriter()
        json.object { json in
            json.field("reports", reports)
            json.field("source", ifPresent: call.gateway?.source ?? named)
        }
        let part = Forwarded(
            .reception(.ingestValues), to: ingest(0), body: json.bytes, actor: call.actor, key: call.key ?? "",
            trace: call.web.trace)
        return try send([part], for: call)
    }

    private mutating func sendCapture(_ call: RequestContext) throws(Problem) -> [Effect] {
        var json = JSONWriter(reserving: call.web.request.body.count * 4 / 3 + 32)
        json.object { json in json.field("capture", BaseEncoding.base64.encode(call.web.request.body)) }
        let part = Forwarded(
            .reception(.ingestCapture), to: ingest(0), body: json.bytes, actor: call.actor, key: call.key ?? "",
            trace: call.web.trace)
        return try send([part], for: call)
    }

    private mutating func send(_ parts: [Forwarded], for call: RequestContext) throws(Problem) -> [Effect] {
        guard pendingCalls.count + proofs.count + parts.count <= GatewayLimits.pendingCalls else { throw .busy }
        let id = call.web.id
        batches[id] = Batch(call.web, parts: parts.count)
        var effects: [Effect] = []
        for (number, part) in parts.enumerated() {
            effects += try begin(.part(batch: id, number: number)) { token in
                part.outgoing(token, seconds: GatewayLimits.commandSeconds)
            }
        }
        return effects
    }

    private mutating func tellPassport(_ call: RequestContext) throws(Problem) -> [Effect] {
        let passport = PassportCall(
            web: call.web, lot: call.parameter("lot") ?? "", since: call.parameter("since"),
            patience: tick + GatewayLimits.proofPatienceTicks)
        var json = JSONWriter()
        // The staff may read the story of every lot; other callers only of lots that were labelled or sold.
        let isStranger = call.caller.map { $0.role == .buyer } ?? true
        json.object { json in
            json.field("lot", passport.lot)
            json.field("stranger", isStranger)
            json.field("label", ifPresent: isStranger ? call.parameter("label") : nil)
        }
        let body = json.bytes
        return try begin(.refresh(passport)) { token in
            OutgoingRequest(
                LedgerCommandName.refreshPassport, body: body, actor: .service(Self.name), token: token,
                seconds: GatewayLimits.querySeconds)
        }
    }

    private mutating func tellTile(_ call: RequestContext) throws(Problem) -> [Effect] {
        guard let tile = TilePath(level: call.parameter("level") ?? "", rest: call.parameter("index") ?? "") else {
            throw Problem(404, "no-tile", "No tile has this address.")
        }
        var json = JSONWriter()
        json.object { json in
            json.field("level", tile.level)
            json.field("index", tile.index)
            json.field("width", tile.width)
        }
        return try query(call, .ledger(.tile), json.bytes, as: .tile)
    }

    private mutating func tellLabels(_ call: RequestContext, _ format: LabelFormat) throws(Problem) -> [Effect] {
        let serial = call.parameter("serial")
        var json = JSONWriter()
        json.object { $0.field("lot", call.parameter("lot") ?? "") }
        let body = json.bytes
        return try begin(.labels(call.web, format, serial: serial)) { token in
            OutgoingRequest(
                LedgerQueryName.labels, body: body, actor: call.actor, token: token,
                seconds: GatewayLimits.querySeconds)
        }
    }
}

extension Caller {
    /// The caller with the token of a demonstration.
    static let demonstration = Caller(
        person: PersonID(UUID.named("demonstration", in: .furrow).description), name: "Demonstration", email: "",
        role: .administrator, session: nil)
}
