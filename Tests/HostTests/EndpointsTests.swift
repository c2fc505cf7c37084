import EventBus
import EventSourcing
import Foundation
import Synchronization
import System
import Testing
import Vocabulary
import Wire
import ZeroMQ

@testable import Host

/// Key folders as `furrow init` creates them, with a key pair per service.
final class KeyFolders {
    let path = NSTemporaryDirectory() + "furrow-\(UUID().uuidString)"
    var pairs: [String: (public: String, secret: String)] = [:]
    let port = KeyFolders.freePort()

    /// Returns a port of this machine that is not in use.
    private static func freePort() -> Int {
        do {
            let probe = try Socket(.router, in: try Context())
            try probe.bind("tcp://127.0.0.1:*")
            return Int(probe.lastEndpoint.split(separator: ":").last ?? "") ?? 0
        } catch { return 0 }
    }

    init(_ services: [String]) throws {
        try Directory.create(path, mode: 0o700)
        for service in services + ["stranger"] {
            let pair = Curve.keyPair()
            pairs[service] = pair
            try Directory.create("\(path)/\(service)", mode: 0o700)
            try keep(service, pair.secret)
        }
        try publish(services.map { ($0, pairs[$0]?.public ?? "") })
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }

    func keep(_ service: String, _ secret: String, mode: UInt32 = 0o400) throws {
        try File.writeAtomically("\(path)/\(service)/curve", Array((secret + "\n").utf8), mode: mode)
    }

    func publish(_ keys: [(service: String, key: String)]) throws {
        try File.writeAtomically("\(path)/services", Array(KeyList(keys).text.utf8), mode: 0o444)
    }

    func settings(_ service: String) -> Settings {
        Settings(environment: [
            "FURROW_KEYS": "\(path)/\(service)", "FURROW_PUBLIC_KEYS": path,
            "FURROW_ASK_TRACE_LEDGER": "tcp://127.0.0.1:\(port)",
        ])
    }

    func endpoints(of service: String, listens: Bool = true) throws -> Endpoints {
        try Endpoints(settings(service), of: service, in: try Context(), listens: listens)
    }
}

@Suite("Endpoints over TCP", .serialized)
struct EndpointsTests {
    private let keys: KeyFolders

    init() throws {
        keys = try KeyFolders(["trace-ledger", "sync-gateway", "sensor-ingest"])
    }

    /// Returns the authenticated user with which a request arrives; nil if it does not arrive within `seconds`.
    private func user(_ requestClient: RequestClient, at requestServer: RequestServer, seconds: Double = 10) throws
        -> String?
    {
        _ = try requestClient.ask(
            verb: "lot", body: [], actor: .service("x"), key: nil, entropy: [UInt8](repeating: 0, count: 16),
            seconds: 60, at: Clock.monotonicMicroseconds())
        var poller = Poller()
        _ = poller.add(requestServer.socket)
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            _ = try requestClient.receive(at: Clock.monotonicMicroseconds())
            if let ask = try requestServer.receive(limit: 1).first { return ask.user ?? "not authenticated" }
            _ = try poller.wait(milliseconds: 10)
        }
        return nil
    }

    @Test func `endpoints are neither bound nor dialled over TCP without keys`() throws {
        let bare = Settings(environment: ["FURROW_BUS_PORT": "7100", "FURROW_RUN": "/tmp"])
        let endpoints = try Endpoints(bare, of: "trace-ledger", in: try Context())
        #expect(throws: SettingError.self) { try endpoints.requestServer(slot: 0) }
        #expect(throws: SettingError.self) { try endpoints.origins() }
        #expect(throws: SettingError.self) { try endpoints.reverseServers() }
        #expect(throws: SettingError.self) { try endpoints.feeds(slot: 0, dialsHub: false, open: { [] }) }
        #expect(throws: SettingError.self) { try endpoints.feeds(slot: nil, dialsHub: true, open: { [] }) }
        #expect(throws: SettingError.self) { try endpoints.requestClient(of: "sync-gateway") }
        #expect(throws: SettingError.self) { try endpoints.subscriber(of: "sync-gateway") }
    }

    @Test func `endpoints authenticate a service by its key and drop the connections of unlisted keys`() throws {
        let ledger = try keys.endpoints(of: "trace-ledger")
        defer { withExtendedLifetime(ledger) {} }
        let requestServer = try ledger.requestServer(slot: 0)
        let stranger = try keys.endpoints(of: "stranger")
        #expect(try user(stranger.requestClient(of: "trace-ledger"), at: requestServer, seconds: 1) == nil)
        for service in ["sync-gateway", "sensor-ingest", "trace-ledger"] {
            #expect(
                try user(keys.endpoints(of: service).requestClient(of: "trace-ledger"), at: requestServer) == service)
        }
    }

    /// The mutant: sockets without the ZAP authenticator.
    @Test func `endpoints accept no connection without an authenticator`() throws {
        let ledger = try keys.endpoints(of: "trace-ledger", listens: false)
        let requestServer = try ledger.requestServer(slot: 0)
        let gateway = try keys.endpoints(of: "sync-gateway")
        #expect(try user(gateway.requestClient(of: "trace-ledger"), at: requestServer, seconds: 1) == nil)
    }

    @Test func `endpoints accept a listed new key at once, and report when their own key has changed`() throws {
        let endpoints = try keys.endpoints(of: "trace-ledger")
        defer { withExtendedLifetime(endpoints) {} }
        let requestServer = try endpoints.requestServer(slot: 0)
        #expect(try endpoints.inspect() == .good)
        let next = Curve.keyPair()
        let now = ["trace-ledger", "sync-gateway", "sensor-ingest"].map { ($0, keys.pairs[$0]?.public ?? "") }
        try keys.publish(now + [("sync-gateway", next.public)])
        #expect(try endpoints.inspect() == .listed)
        #expect(try endpoints.inspect() == .good)
        // The gateway connects with its next key while the ledger still uses its own.
        try keys.keep("sync-gateway", next.secret)
        let gateway = try keys.endpoints(of: "sync-gateway")
        #expect(try user(gateway.requestClient(of: "trace-ledger"), at: requestServer) == "sync-gateway")
        try keys.publish([now[0], ("sync-gateway", next.public), now[2], now[1]])
        #expect(try endpoints.inspect() == .stale)
    }

    @Test func `keys that are missing, damaged or readable by others are rejected with the remedy`() throws {
        func reason() -> String {
            do {
                _ = try CurveKeys(keys.settings("trace-ledger"))
                return ""
            } catch { return "\(error)" }
        }
        #expect(reason() == "")
        try keys.keep("trace-ledger", try #require(keys.pairs["trace-ledger"]).secret, mode: 0o404)
        #expect(reason().contains("chmod 0400"))
        try keys.keep("trace-ledger", "no key")
        #expect(reason().contains("furrow init"))
        try File.remove("\(keys.path)/trace-ledger/curve")
        #expect(reason().contains("furrow init"))
        let list = try KeyList("# a remark\nledger \(keys.pairs["stranger"]?.public ?? "")\n\n", path: "x")
        #expect(list.keys.count == 1 && list.serving("ledger") == keys.pairs["stranger"]?.public)
        for text in ["ledger", "ledger short", "a b c"] {
            #expect(throws: SettingError.self) { try KeyList(text, path: "x") }
        }
        #expect(!"\(String(describing: try CurveKeys(keys.settings("sync-gateway"))))".contains("secret"))
    }

    @Test func `a client reconnects when the address of its server's host changes`() throws {
        let place = Mutex<[String]>([])
        let resolver = try HostResolver { _ in place.withLock { $0 } }
        var environment = ["FURROW_KEYS": "\(keys.path)/sync-gateway", "FURROW_PUBLIC_KEYS": keys.path]
        environment["FURROW_ASK_TRACE_LEDGER"] = "tcp://ledger:\(keys.port)"
        let endpoints = try Endpoints(
            Settings(environment: environment), of: "sync-gateway", in: try Context(), resolver: resolver)
        let requestClient = try endpoints.requestClient(of: "trace-ledger")
        let ledger = try keys.endpoints(of: "trace-ledger")
        defer { withExtendedLifetime(ledger) {} }
        let requestServer = try ledger.requestServer(slot: 0)
        func arrives(within seconds: Double) throws -> Bool {
            let end = Date().addingTimeInterval(seconds)
            var pacer = Poller()
            while Date() < end {
                try endpoints.follow()
                _ = try requestClient.receive(at: Clock.monotonicMicroseconds())
                if try !requestServer.receive(limit: 1).isEmpty { return true }
                _ = try pacer.wait(milliseconds: 20)
            }
            return false
        }
        _ = try requestClient.ask(
            verb: "lot", body: [], actor: .service("x"), key: "k", entropy: [UInt8](repeating: 0, count: 16),
            seconds: 60, at: Clock.monotonicMicroseconds())
        #expect(try arrives(within: 0.3) == false)
        // The first address has no server, the second one does.
        place.withLock { $0 = ["127.0.0.9"] }
        #expect(try arrives(within: 1.5) == false)
        place.withLock { $0 = ["127.0.0.1"] }
        #expect(try arrives(within: 10))
    }

    @Test func `host names are resolved on a thread of their own, so that callers do not wait`() throws {
        let isAnswering = Mutex(false)
        let resolver = try HostResolver { _ in
            while !isAnswering.withLock({ $0 }) { usleep(1000) }
            return ["10.0.0.1", "10.0.0.2"]
        }
        // The resolver does not respond, and no call waits for it.
        for _ in 0..<100 { #expect(try resolver.numeric("tcp://ledger:7100") == nil) }
        #expect(try resolver.numeric("tcp://10.1.2.3:7100") == "tcp://10.1.2.3:7100")
        #expect(try resolver.numeric("ipc:///run/x") == "ipc:///run/x")
        isAnswering.withLock { $0 = true }
        let end = Date().addingTimeInterval(10)
        while try resolver.numeric("tcp://ledger:7100") == nil, Date() < end { usleep(1000) }
        #expect(try resolver.numeric("tcp://ledger:7100") == "tcp://10.0.0.1:7100")
    }
}

@Suite("The access policy")
struct AccessPolicyTests {
    private func ask(_ verb: String, by user: String?, as actor: Actor) -> IncomingRequest {
        IncomingRequest(
            peer: [1], request: 1, verb: verb, body: [], actor: actor, key: nil, entropy: [], deadlineMilliseconds: 1,
            user: user)
    }

    @Test func `the authenticated name of a process, not the actor of a request, decides what it may request`() throws {
        let verbs: [String: Set<String>] = ["sensor-ingest": ["hello"]]
        func code(_ verb: String, _ user: String?, _ actor: Actor) -> String? {
            AccessPolicy.accessRefusal(to: ask(verb, by: user, as: actor), of: verbs)?.code
        }
        let ada = Actor.person(PersonID("ada"))
        // Requests from the protected folder and from the gateway are all allowed.
        #expect(code("harvest", nil, ada) == nil)
        #expect(code("harvest", "sync-gateway", ada) == nil)
        #expect(code("setup-link", "sync-gateway", .service("console")) == nil)
        // Other services may make the requests listed for them and the host's, as their own actor.
        #expect(code("hello", "sensor-ingest", .service("sensor-ingest")) == nil)
        #expect(code("host.feeds", "sensor-ingest", .service("console")) == nil)
        #expect(code("harvest", "sensor-ingest", .service("sensor-ingest")) == "not-for-this-service")
        #expect(code("hello", "trace-ledger", .service("trace-ledger")) == "not-for-this-service")
        #expect(code("hello", "sensor-ingest", .service("sync-gateway")) == "not-its-own-name")
        #expect(code("harvest", "sensor-ingest", ada) == "not-its-own-name")
        #expect(AccessPolicy.owns("sensor-ingest/farm-1", "sensor-ingest") && AccessPolicy.owns("x/farm-1", nil))
        #expect(
            !AccessPolicy.owns("trace-ledger/farm-0", "sensor-ingest")
                && !AccessPolicy.owns("sensor-ingest", "sensor-ingest"))
    }
}
