public import EventBus
public import EventSourcing
import System
public import ZeroMQ

/// Opens and dials the doors between the services of one farm server; owned by one thread.
///
/// Sockets in a folder are guarded by who may enter it. Whatever goes over TCP is encrypted (CURVE), and whoever comes
/// is on the list (ZAP), or nobody is let in; without keys no such door is opened or dialled at all.
public final class Endpoints {
    private let settings: Settings
    private let service: String
    private let isGuarded: Bool
    private let context: Context
    private var keys: CurveKeys?
    /// It answers for every bound door of the context, so it lives as long.
    private let authenticator: ZAPAuthenticator?
    private let book: HostResolver
    private var dialled: [Dialled] = []

    /// What has to be done about the doors of a process.
    public enum KeyStatus: Sendable, Equatable {
        case good
        /// The list of those who may come was replaced.
        case listed
        /// Its own key or one that it dials has changed: what is open has to be closed and opened anew.
        case stale
    }

    private struct Dialled {
        let endpoint: String
        var current: String?
        /// False once the socket is gone.
        let redial: (String) throws -> Bool
    }

    /// - Parameters:
    ///   - listens: false for a tool that only dials.
    ///   - isGuarded: false only to measure what plain TCP costs.
    public init(
        _ settings: Settings, of service: String, in context: Context, listens: Bool = true, isGuarded: Bool = true,
        book: HostResolver? = nil
    ) throws {
        self.settings = settings
        self.service = service
        self.isGuarded = isGuarded
        self.context = context
        keys = try CurveKeys(settings)
        authenticator = try listens ? keys.map { try ZAPAuthenticator(in: context, allow: $0.list.admitted) } : nil
        self.book = try book ?? HostResolver()
    }

    // MARK: Listening

    /// Where the service is asked.
    public func requestServer(slot: Int) throws -> RequestServer {
        let (endpoint, curve) = try bound(.ask, slot)
        return try RequestServer(endpoint: endpoint, context: context, curve: curve)
    }

    /// Where origins come to be read.
    func origins() throws -> FeedSubscriber {
        let (endpoint, curve) = try bound(.origins, 0)
        let follower = try FeedSubscriber(context: context, bind: endpoint, dial: nil, curve: curve)
        follower.admit(AccessPolicy.mayBe)
        return follower
    }

    /// Where those come that dial in to be asked.
    func callees() throws -> RequestClient {
        let (endpoint, curve) = try bound(.calls, 0)
        return try RequestClient(binding: endpoint, context: context, curve: curve, admit: AccessPolicy.mayBe)
    }

    /// Serves journals at the reading door, and to the hub where that is dialled.
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

    /// Asks a service's desk; at an address of its host where there are several.
    public func requestClient(of service: String, slot: Int = 0, at host: String? = nil) throws -> RequestClient {
        let way = try away(.ask, of: service, slot, at: host)
        let requestClient = try RequestClient(endpoint: way.address, context: context, curve: way.curve)
        watch(way) { [weak requestClient] address in
            try requestClient?.redial(address)
            return requestClient != nil
        }
        return requestClient
    }

    /// Reads a service's journals; at an address of its host where there are several.
    public func follower(of service: String, slot: Int = 0, at host: String? = nil) throws -> FeedSubscriber {
        let way = try away(.read, of: service, slot, at: host)
        let follower = try FeedSubscriber(dialling: way.address, context: context, curve: way.curve)
        watch(way) { [weak follower] address in
            try follower?.redial(address)
            return follower != nil
        }
        return follower
    }

    /// Has a desk dial the one who asks it over connections that others make.
    func call(_ requestServer: RequestServer, as origin: Origin, to host: String) throws -> Socket {
        let way = try away(.calls, of: host, 0)
        let socket = try requestServer.call(
            way.address, as: origin.description, to: way.curve == nil ? nil : host, context: context, curve: way.curve)
        watch(way) { [weak requestServer] address in
            try requestServer?.recall(address)
            return requestServer != nil
        }
        return socket
    }

    // MARK: Looking after

    /// Goes after the hosts that have another address by now; cheap.
    public func follow() throws {
        for index in dialled.indices.reversed() {
            guard let address = try book.numeric(dialled[index].endpoint), address != dialled[index].current else {
                continue
            }
            dialled[index].current = address
            if try !dialled[index].redial(address) { dialled.remove(at: index) }
        }
    }

    /// Reads the keys again; about once a second.
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
            endpoint: endpoint, address: try book.numeric(endpoint),
            curve: try needed(at: endpoint)?.client(of: service))
    }

    private func bound(_ kind: EndpointKind, _ slot: Int) throws -> (endpoint: String, curve: Curve?) {
        let endpoint = try settings.listening(kind, of: service, slot: slot)
        return (endpoint, try needed(at: endpoint)?.server)
    }

    /// The keys that this endpoint needs; nil for one in a folder.
    private func needed(at endpoint: String) throws(SettingError) -> CurveKeys? {
        guard endpoint.hasPrefix("tcp://"), isGuarded || keys != nil else { return nil }
        guard let keys else {
            throw SettingError(
                name: "FURROW_KEYS", reason: "is not set, and \(endpoint) must not be open to everyone; see furrow init"
            )
        }
        return keys
    }

    private func watch(_ way: Route, _ redial: @escaping (String) throws -> Bool) {
        guard HostResolver.name(in: way.endpoint) != nil else { return }
        dialled.append(Dialled(endpoint: way.endpoint, current: way.address, redial: redial))
    }
}
