import Crypto
import EventBus
import EventSourcing
import Host
import JSON
import System
import ZeroMQ

/// Connections to the services of a running farm server.
///
/// They use sockets in its run folder or, in a compose stack, the services' hosts with this container's keys.
final class ServiceConnections {
    /// Whether each service is a host of its own.
    let areHosts: Bool
    private let farmPaths: FarmPaths
    private let settings: Settings
    private let endpoints: Endpoints
    private let context: Context
    /// The address of each origin that was reached; only for hosts.
    private var hosts: [Origin: String] = [:]

    static let greetingSeconds = 5.0

    init(_ farmPaths: FarmPaths, _ context: Context) throws {
        guard farmPaths.homes == nil else {
            throw Refusal(
                "This container reaches no service. Run it in the gateway's: docker compose exec sync-gateway furrow …")
        }
        self.farmPaths = farmPaths
        self.context = context
        var environment = Machine.environment
        areHosts = environment["FURROW_BUS_PORT"] ?? "" != ""
        if !areHosts { environment["FURROW_RUN"] = farmPaths.run }
        settings = Settings(environment: environment)
        endpoints = try Endpoints(settings, of: "console", in: context, listens: false)
    }

    /// Returns the running origins, and a description of each service that is expected but does not respond.
    func origins() throws -> (live: [Origin], missing: [String]) {
        guard areHosts else { return (try RunFile.read(farmPaths).services.compactMap { Origin($0.origin) }, []) }
        guard let keys = try CurveKeys(settings) else { return ([], []) }
        var missing: [String] = []
        for service in Set(keys.list.keys.map(\.service)).sorted() {
            let addresses = HostName.addresses(of: service)
            if addresses.isEmpty { missing.append("\(service) has no address") }
            for address in addresses {
                if let origin = try meet(service, at: address) {
                    hosts[origin] = address
                } else {
                    missing.append("\(service) at \(address) does not respond")
                }
            }
        }
        return (hosts.keys.sorted(), missing)
    }

    private func meet(_ service: String, at address: String) throws -> Origin? {
        // A service that stays down has no journal; it only reports its status.
        try meet(service, at: address, asking: "host.head", "feed")
            ?? meet(service, at: address, asking: "host.standing", "origin")
    }

    private func meet(_ service: String, at address: String, asking verb: String, _ member: String) throws -> Origin? {
        let requestClient = try endpoints.requestClient(of: service, at: address)
        let outcome = try requestClient.askAndWait(
            verb: verb, body: Array("{}".utf8), actor: .service("console"), key: nil, entropy: Random.bytes(16),
            seconds: Self.greetingSeconds)
        guard case .answer(let answer) = outcome, answer.status == 200 else { return nil }
        return Origin(try JSONValue.parse(answer.body).get(member, as: String.self))
    }

    /// Returns the host of an instance; nil if it is reached in the run folder.
    private func host(of service: String, slot: Int) throws -> String? {
        guard areHosts else { return nil }
        if hosts.isEmpty { _ = try origins() }
        guard let met = hosts.first(where: { $0.key.service == service && $0.key.slot == slot }) else {
            throw Refusal("\(service)-\(slot) cannot be found; is its container running?")
        }
        return met.value
    }

    func requestClient(of service: String, slot: Int) throws -> RequestClient {
        try endpoints.requestClient(of: service, slot: slot, at: host(of: service, slot: slot))
    }

    /// Returns a subscriber of a feed at the service that wrote it; the ledger serves the hub.
    func follower(of feed: String) throws -> FeedSubscriber {
        if feed == "hub" { return try endpoints.subscriber(of: "trace-ledger", at: host(of: "trace-ledger", slot: 0)) }
        guard let origin = Origin(feed) else {
            throw Refusal("\(feed) is no origin: expected service/site-slot.", isMisuse: true)
        }
        return try endpoints.subscriber(
            of: origin.service, slot: origin.slot, at: host(of: origin.service, slot: origin.slot))
    }
}
