public import EventBus
public import EventSourcing
import System
public import ZeroMQ

/// Binds and dials the ZeroMQ endpoints between the services of one farm server. Owned by one thread.
///
/// Sockets in a folder are protected by the folder's permissions. TCP connections are encrypted (CURVE) and need a key
/// on the allow-list (ZAP). Without keys no TCP endpoint is bound or dialled.
///
/// ```
/// let endpoints = try Endpoints(settings, of: "catalog-orders", in: Context())
/// let ledger = try endpoints.requestClient(of: "trace-ledger")
/// ```
public final class Endpoints {
    private let settings: Settings
    private let service: String
    private let isGuarded: Bool
    private let context: Context
    private var keys: CurveKeys?
    /// Serves every bound endpoint of the context, so it must exist as long as they do.
    private let authenticator: ZAPAuthenticator?
    private let resolver: HostResolver
    private var dialled: [Dialled] = []

    /// The result of reading the keys again.
    public enum KeyStatus: Sendable, Equatable {
        /// Nothing has changed.
        case good
        /// The allow-list was replaced.
        case listed
        /// The own key, or the key of a service that is dialled, has changed: the sockets must be closed and opened
        /// again.
        case stale
    }

    private struct Dialled {
        let endpoint: String
        var current: String?
        /// Redials the address; returns false once the socket is closed.
        let redial: (String) throws -> Bool
    }

    /// Reads the keys that the settings name. Throws if they are invalid or the authenticator cannot be bound.
    ///
    /// - Parameters:
    ///   - listens: false for a tool that only dials.
    ///   - isGuarded: false only to measure the cost of encryption: TCP endpoints are then open to everyone.
    public init(
        _ settings: Settings, of service: String, in context: Context, listens: Bool = true, isGuarded: Bool = true,
        resolver: HostResolver? = nil
    ) throws {
        self.settings = settings
        self.service = service
        self.isGuarded = isGuarded
        self.context = context
        keys = try CurveKeys(settings)
        authenticator = try listens ? keys.map { try ZAPAuthenticator(in: context, allow: $0.list.admitted) } : nil
        self.resolver = try resolver ?? HostResolver()
    }

    // MARK: Listening

    /// Binds the endpoint for requests to the service.
    public func requestServer(slot: Int) throws -> RequestServer {
        let (endpoint, curve) = try bound(.ask, slot)
        return try RequestServer(endpoint: endpoint, context: context, curve: curve)
    }

    /// Binds the endpoint at which origins connect so that the hub can read them.
    func origins() throws -> FeedSubscriber {
        let (endpoint, curve) = try bound(.origins, 0)
        let subscriber = try FeedSubscriber(context: context, bind: endpoint, dial: nil, curve: curve)
        subscriber.admit(AccessPolicy.owns)
        return subscriber
    }

    /// Binds the endpoint at which services connect to receive requests.
    func reverseServers() throws -> RequestClient {
        let (endpoint, curve) = try bound(.calls, 0)
        return try RequestClient(binding: endpoint, context: context, curve: curve, admit: AccessPolicy.owns)
    }

    /// Serves journals at the endpoint for readers, and at the hub's endpoint for origins if that is dialled.
    public func feeds(
        slot: Int?, dialsHub: Bool, open: @escaping @Sendable () throws -> [any LogReader]
    ) throws -> FeedServer {
        let own = try slot.map { try bound(.read, $0) }
        let hub = dialsHub ? try away(.origins, of: "trace-ledger", 0) : nil
        let server = try FeedServer(
            context: context, bind: own?.endpoint, dial: hub.map { [$0.address] } ?? [], bindCurve: own?.curve,
            dialCurve: hub?.curve, open: open)
        if let hub {
            watch(hub) { [weak server] address in
                server?.redial(0, to: address)
                return server != nil
            }
        }
        return server
    }

    // MARK: Dialling

    /// Dials the endpoint for requests of a service; `host` selects one address if its host has several.
    public func requestClient(of service: String, slot: Int = 0, at host: String? = nil) throws -> RequestClient {
        let route = try away(.ask, of: service, slot, at: host)
        let requestClient = try RequestClient(endpoint: route.address, context: context, curve: route.curve)
        watch(route) { [weak requestClient] address in
            try requestClient?.redial(address)
            return requestClient != nil
        }
        return requestClient
    }

    /// Dials the endpoint for readers of a service's journals; `host` selects one address if its host has several.
    public func subscriber(of service: String, slot: Int = 0, at host: String? = nil) throws -> FeedSubscriber {
        let route = try away(.read, of: service, slot, at: host)
        let subscriber = try FeedSubscriber(dialling: route.address, context: context, curve: route.curve)
        watch(route) { [weak subscriber] address in
            try subscriber?.redial(address)
            return subscriber != nil
        }
        return subscriber
    }

    /// Dials the service that sends requests to this one, over a connection that this one opens.
    func call(_ requestServer: RequestServer, as origin: Origin, to host: String) throws -> Socket {
        let route = try away(.calls, of: host, 0)
        let socket = try requestServer.call(
            route.address, as: origin.description, to: route.curve == nil ? nil : host, context: context,
            curve: route.curve)
        watch(route) { [weak requestServer] address in
            try requestServer?.recall(address)
            return requestServer != nil
        }
        return socket
    }

    // MARK: Looking after

    /// Redials hosts whose address has changed. Cheap; called with every tick.
    public func follow() throws {
        for index in dialled.indices.reversed() {
            guard let address = try resolver.numeric(dialled[index].endpoint), address != dialled[index].current else {
                continue
            }
            dialled[index].current = address
            if try !dialled[index].redial(address) { dialled.remove(at: index) }
        }
    }

    /// Reads the keys again, about once a second, and replaces the allow-list if only that has changed.
    public func inspect() throws(SettingError) -> KeyStatus {
        guard let old = keys, let new = try CurveKeys(settings) else { return .good }
        if new.secret != old.secret || new.list.serving != old.list.serving { return .stale }
        guard new.list != old.list else { return .good }
        authenticator?.replace(allow: new.list.admitted)
        keys = new
        return .listed
    }

    // MARK: Where

    private struct Route {
        let endpoint: String
        let address: String?
        let curve: Curve?
    }

    private func away(_ kind: EndpointKind, of service: String, _ slot: Int, at host: String? = nil) throws -> Route {
        var endpoint = try settings.endpoint(kind, of: service, slot: slot)
        if let host, let name = HostResolver.name(in: endpoint) { endpoint = "tcp://\(host):\(name.port)" }
        return Route(
            endpoint: endpoint, address: try resolver.numeric(endpoint),
            curve: try needed(at: endpoint)?.client(of: service))
    }

    private func bound(_ kind: EndpointKind, _ slot: Int) throws -> (endpoint: String, curve: Curve?) {
        let endpoint = try settings.listening(kind, of: service, slot: slot)
        return (endpoint, try needed(at: endpoint)?.server)
    }

    /// Returns the keys that an endpoint needs; nil for one in a folder. Throws if TCP would be open to everyone.
    private func needed(at endpoint: String) throws(SettingError) -> CurveKeys? {
        guard endpoint.hasPrefix("tcp://"), isGuarded || keys != nil else { return nil }
        guard let keys else {
            throw SettingError(
                name: "FURROW_KEYS", reason: "is not set, and \(endpoint) must not be open to everyone; see furrow init"
            )
        }
        return keys
    }

    private func watch(_ route: Route, _ redial: @escaping (String) throws -> Bool) {
        guard HostResolver.name(in: route.endpoint) != nil else { return }
        dialled.append(Dialled(endpoint: route.endpoint, current: route.address, redial: redial))
    }
}
