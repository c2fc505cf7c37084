import EventSourcing
import EventStore
import Events
import Foundation
import HTTP
import Host
import JSON
import Testing
import Vault
import Vocabulary
import Wire

@testable import SyncGateway

/// A gateway with a real vault, an in-memory journal and views, and no sockets. A test sends requests and inspects the
/// effects.
final class GatewayHarness {
    static let start = Instant("2026-05-03T07:00:00Z") ?? Instant(microseconds: 0)

    private(set) var core: ServiceRuntime<SyncGateway>
    let log: MemoryLog
    let folder: String
    var now = GatewayHarness.start
    private var lastID: UInt64 = 0
    private(set) var responses: [UInt64: HTTPResponse] = [:]
    private(set) var replies: [UInt64: Response] = [:]
    private(set) var places: [StreamPlace] = []
    /// The bodies that are sent in pieces so far, and the token of the last piece; nil after the last one.
    private(set) var bodies: [UInt64: (head: HTTPResponse, token: UInt64?)] = [:]
    /// The number of operator events by name.
    private(set) var notes: [String: Int] = [:]
    private(set) var subscriptions: [(request: UInt64, audience: String, topics: [String])] = []
    private(set) var published: [(topic: String, name: String, data: String)] = []
    var asks: [OutgoingRequest] = []
    var jobs: [(token: UInt64, work: @Sendable () -> [UInt8])] = []
    /// The deliveries to external servers that are in flight. Their results are set by the test.
    private(set) var deliveries: [(token: UInt64, to: String)] = []

    init(in folder: String, demoToken: String? = nil, media: Bool = false, mail: Bool = false) throws {
        self.folder = folder
        log = try MemoryLog(feed: "sync-gateway/farm-0", why: "test", at: now)
        let tables = try MemoryTables(Folding<SyncGateway>.schemas)
        core = ServiceRuntime(
            service: try Self.gateway(in: folder, demoToken, media: media, mail: mail), log: log, tables: tables)
        try tick()
    }

    private static func gateway(_ folder: String) throws -> SyncGateway {
        try gateway(in: folder, nil)
    }

    private static func gateway(
        in folder: String, _ token: String?, media: Bool = false, mail: Bool = false
    ) throws -> SyncGateway {
        let server = MailClient(server: "smtp://127.0.0.1:9")
        var gateway = try SyncGateway(
            site: "farm", vault: Vault(path: "\(folder)/\(Vault.fileName)"), demoToken: token,
            media: media ? Media(folder: "\(folder)/media") : nil,
            provider: PaymentProvider(url: "http://127.0.0.1:9", secret: "a shared secret"),
            mailer: mail ? Mailer(server, sender: "shop@farm.test", pages: nil) : nil)
        gateway.messageTexts = [.german: MessageTexts(texts: ["Your new password": "Ihr neues Passwort"])]
        return gateway
    }

    /// Restarts the gateway over the same vault, journal and views.
    func restart() throws {
        let tables = core.tables
        let log = core.log
        // The old vault must close its file before the new one opens it.
        core = ServiceRuntime(service: try SyncGateway(site: "farm", vault: spare()), log: log, tables: tables)
        core = ServiceRuntime(service: try Self.gateway(folder), log: log, tables: tables)
        try tick()
    }

    private func spare() throws -> Vault { try Vault(path: "\(folder)/spare-\(lastID).db") }

    // MARK: Requests

    @discardableResult
    func send(
        _ method: String, _ address: String, _ body: String? = nil, as token: String? = nil, key: String? = "k1",
        headers: [(String, String)] = [], peer: String = "192.0.2.1", isHead: Bool = false, isSecure: Bool = false
    ) throws -> UInt64 {
        var all: [(String, String)] = headers
        let has = { (name: String) in headers.contains { $0.0 == name } }
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if let key, method != "GET", !has("Idempotency-Key") { all.append(("Idempotency-Key", key)) }
        if body != nil, !has("Content-Type") { all.append(("Content-Type", "application/json")) }
        let parts = address.split(separator: "?", maxSplits: 1)
        var query: [(name: String, value: String)] = []
        for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query.append((String(halves[0]), halves.count > 1 ? String(halves[1]) : ""))
        }
        lastID += 1
        let request = HTTPRequest(
            method: method, target: String(parts[0]), path: String(parts[0]), query: query, headers: HTTPHeaders(all),
            body: Array((body ?? "").utf8), peer: peer, isHead: isHead, isSecure: isSecure)
        try take(.requested(WebRequest(id: lastID, request: request, entropy: entropy())))
        return lastID
    }

    /// Sends a request and runs the workers; returns the response, which is required by then.
    func call(
        _ method: String, _ address: String, _ body: String? = nil, as token: String? = nil, key: String? = "k1",
        headers: [(String, String)] = [], peer: String = "192.0.2.1", isSecure: Bool = false
    ) throws -> HTTPResponse {
        let id = try send(
            method, address, body, as: token, key: key, headers: headers, peer: peer, isSecure: isSecure)
        try work()
        // A password may wait for its turn; its delay is counted in ticks.
        for _ in 0..<60 where responses[id] == nil && !core.service.passwords.waiting.isEmpty {
            try tick()
            try work()
        }
        return try #require(responses[id], "\(method) \(address) is not answered")
    }

    /// Uploads bytes as a file and returns the response.
    func upload(_ bytes: [UInt8], as token: String) throws -> HTTPResponse {
        lastID += 1
        let headers = [
            ("Authorization", "Bearer \(token)"), ("Idempotency-Key", "u\(lastID)"),
            ("Content-Type", "application/octet-stream"),
        ]
        let request = HTTPRequest(
            method: "POST", target: "/v1/media", path: "/v1/media", query: [], headers: HTTPHeaders(headers),
            body: bytes, peer: "192.0.2.1", isHead: false, isSecure: false)
        let id = lastID
        try take(.requested(WebRequest(id: id, request: request, entropy: entropy())))
        try work()
        return try #require(responses[id])
    }

    func ask(_ verb: String, _ body: String, by actor: Actor) throws -> Response {
        lastID += 1
        let ask = Request(
            id: lastID, verb: verb, body: Array(body.utf8), actor: actor, key: nil,
            entropy: Array(entropy().prefix(16)))
        try take(.asked(ask))
        return try #require(replies[lastID])
    }

    // MARK: Time, responses and workers

    func tick(_ times: Int = 1) throws {
        for _ in 0..<times { try take(.ticked(wall: now)) }
    }

    func pass(seconds: Double) throws {
        core.update(isUpToDate: true)
        now = now.advanced(bySeconds: seconds)
        try tick()
    }

    /// Answers a forwarded request with the response of another service.
    func answer(_ asked: OutgoingRequest, _ status: Int, _ body: String) throws {
        try take(.answered(token: asked.token, outcome: .answer(Response(status: status, body: Array(body.utf8)))))
    }

    func answer(_ asked: OutgoingRequest, _ answer: Response) throws {
        try take(.answered(token: asked.token, outcome: .answer(answer)))
    }

    func leave(_ asked: OutgoingRequest) throws {
        try take(.answered(token: asked.token, outcome: .unknown))
    }

    func hear(_ events: [RecordedEvent]) throws {
        try take(.heard(feed: "hub", events: events))
    }

    func work() throws {
        while !jobs.isEmpty {
            let job = jobs.removeFirst()
            try take(.finished(token: job.token, result: job.work()))
        }
    }

    /// Ticks until the request's password is handed to the worker, and reports it as wrong without computing the hash.
    func refuseNextPassword(_ id: UInt64) throws {
        for _ in 0..<60 where responses[id] == nil {
            if jobs.isEmpty { try tick() }
            guard !jobs.isEmpty else { continue }
            let job = jobs.removeFirst()
            try take(.finished(token: job.token, result: [0]))
        }
    }

    /// Completes all deliveries to a recipient with this status.
    func answer(outside recipient: String, _ status: Int) throws {
        let answered = deliveries.filter { $0.to == recipient }
        deliveries.removeAll { $0.to == recipient }
        for (token, _) in answered {
            try take(.finished(token: token, result: [UInt8(status / 256), UInt8(status % 256)]))
        }
    }

    /// Ends the sending of a piece of a body; the result is empty if the client is gone.
    func finish(_ token: UInt64, _ result: [UInt8]) throws { try take(.finished(token: token, result: result)) }

    private func take(_ input: Input) throws {
        try core.take(input, at: now)
        for effect in try core.commit() {
            switch effect {
            case .respond(let web, let response):
                #expect(responses[web.id] == nil, "answered twice")
                responses[web.id] = response
            case .reply(let ask, let answer): replies[ask.id] = answer
            case .ask(let outgoing): asks.append(outgoing)
            case .work(let token, let work): jobs.append((token, work))
            case .deliver(let token, let recipient, _): deliveries.append((token, recipient))
            case .subscribe(let web, let place, let topics, let head):
                #expect(head.headers["X-Content-Type-Options"] == "nosniff")
                #expect(head.headers["Cache-Control"] == "no-store")
                subscriptions.append((web.id, place.audience, topics))
                places.append(place)
            case .beginBody(let web, let head, let token):
                bodies[web.id] = (head, token)
            case .continueBody(let web, let piece, let token):
                switch piece {
                case .more(let bytes):
                    bodies[web.id]?.head.body += bytes
                    bodies[web.id]?.token = token
                case .last(let bytes):
                    bodies[web.id]?.head.body += bytes
                    bodies[web.id]?.token = nil
                case .missing: bodies[web.id] = nil
                }
            case .hangUp(let topic): subscriptions.removeAll { $0.topics.contains(topic) }
            case .publish(let topic, let name, let data):
                published.append((topic, name, String(decoding: data, as: UTF8.self)))
            case .note(let note): notes[note.name, default: 0] += note.count
            case .append, .settle, .send, .close, .prune: break
            }
        }
    }

    private var seed: UInt64 = 0

    private func entropy() -> [UInt8] {
        seed += 1
        return (0..<32).map { UInt8(truncatingIfNeeded: seed &* 0x9E37_79B9_7F4A_7C15 >> ($0 % 8 * 8)) &+ UInt8($0) }
    }

    // MARK: People

    /// Creates the first administrator and returns the session token.
    func administrator(email: String = "ada@farm.test", name: String = "Ada") throws -> String {
        let token = try setupToken()
        let response = try call(
            "POST", "/v1/setup",
            "{\"token\":\"\(token)\",\"name\":\"\(name)\",\"email\":\"\(email)\",\"password\":\"correct horse\"}")
        #expect(response.status == 201)
        return try sessionToken(response)
    }

    func setupToken() throws -> String {
        let answer = try ask("setup-link", "{}", by: .service("console"))
        return try JSONValue.parse(answer.body).get("token")
    }

    /// Creates a staff account and signs in.
    func staff(_ role: Role, email: String, by administrator: String) throws -> (person: String, token: String) {
        let made = try call(
            "POST", "/v1/accounts",
            "{\"name\":\"Someone\",\"email\":\"\(email)\",\"password\":\"battery staple\",\"role\":\"\(role.rawValue)\"}",
            as: administrator, key: "make-\(email)")
        #expect(made.status == 201)
        return (try made.json.get("person"), try signIn(email, "battery staple"))
    }

    /// Signs a buyer up.
    func buyer(email: String, password: String = "battery staple", key: String? = nil) throws -> (
        person: String, token: String
    ) {
        let made = try call(
            "POST", "/v1/buyers", "{\"name\":\"Wilma\",\"email\":\"\(email)\",\"password\":\"\(password)\"}",
            key: key ?? "sign-up-\(email)")
        #expect(made.status == 201)
        return (try made.json.get("person"), try sessionToken(made))
    }

    func signIn(_ email: String, _ password: String) throws -> String {
        let response = try call("POST", "/v1/sessions", "{\"email\":\"\(email)\",\"password\":\"\(password)\"}")
        #expect(response.status == 201)
        return try sessionToken(response)
    }

    func sessionToken(_ response: HTTPResponse) throws -> String {
        let cookie = try #require(response.headers.all("Set-Cookie").last)
        let pair = try #require(cookie.split(separator: ";").first)
        return String(pair.drop { $0 != "=" }.dropFirst())
    }

    /// Returns the journal's events as text.
    func journal() throws -> [String] {
        let reader = try log.reader()
        return try reader.read(from: 1, events: 10_000, bytes: 1 << 24).map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }
}

extension HTTPResponse {
    var json: JSONValue {
        get throws { try JSONValue.parse(body) }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The title of the problem if the response is a well-formed problem, else nil.
    var problem: String? {
        get throws {
            guard headers["Content-Type"] == "application/problem+json" else { return nil }
            let body = try json
            guard try body.get("status", as: Int.self) == status else { return nil }
            return try body.get("title")
        }
    }
}

extension OutgoingRequest {
    var json: JSONValue {
        get throws { try JSONValue.parse(body) }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension GatewayHarness {
    func response(_ id: UInt64) throws -> HTTPResponse {
        try #require(responses[id], "not answered yet")
    }
}
