public import EventBus
public import EventSourcing
import System
public import ZeroMQ

/// Opens and dials the doors between the services of one farm server; owned by one thread.
///
/// Sockets in a folder are guarded by who may enter it. Whatever goes over TCP is encrypted (CURVE), and whoever comes
/// is on the list (ZAP), or nobody is let in; without keys no such door is opened or dialled at all.
public final class Doors {
    private let settings: Settings
    private let service: String
    private let isGuarded: Bool
    private let context: Context
    private var keys: CurveKeys?
    /// It answers for every bound door of the context, so it lives as long.
    private let keeper: Doorkeeper?
    private let book: AddressBook
    private var dialled: [Dialled] = []

    /// What has to be done about the doors of a process.
    public enum Standing: Sendable, Equatable {
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
        book: AddressBook? = nil
    ) throws {
        self.settings = settings
        self.service = service
        self.isGuarded = isGuarded
        self.context = context
        keys = try CurveKeys(settings)
        keeper = try listens ? keys.map { try Doorkeeper(in: context, allow: $0.list.admitted) } : nil
        self.book = try book ?? AddressBook()
    }

    // MARK: Listening

    /// Where the service is asked.
    public func desk(slot: Int) throws -> Desk {
        let (endpoint, curve) = try bound(.ask, slot)
        return try Desk(endpoint: endpoint, context: context, curve: curve)
    }

    /// Where origins come to be read.
    func origins() throws -> FeedFollower {
        let (endpoint, curve) = try bound(.origins, 0)
        let follower = try FeedFollower(context: context, bind: endpoint, dial: nil, curve: curve)
        follower.admit(Access.mayBe)
        return follower
    }

    /// Where those come that dial in to be asked.
    func callees() throws -> Asker {
        let (endpoint, curve) = try bound(.calls, 0)
        return try Asker(binding: endpoint, context: context, curve: curve, admit: Access.mayBe)
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
    public func asker(of service: String, slot: Int = 0, at host: String? = nil) throws -> Asker {
        let way = try away(.ask, of: service, slot, at: host)
        let asker = try Asker(endpoint: way.address, context: context, curve: way.curve)
        watch(way) { [weak asker] address in
            try asker?.redial(address)
            return asker != nil
        }
        return asker
    }

    /// Reads a service's journals; at an address of its host where there are several.
    public func follower(of service: String, slot: Int = 0, at host: String? = nil) throws -> FeedFollower {
        let way = try away(.read, of: service, slot, at: host)
        let follower = try FeedFollower(dialling: way.address, context: context, curve: way.curve)
        watch(way) { [weak follower] address in
            try follower?.redial(address)
            return follower != nil
        }
        return follower
    }

    /// Has a desk dial the one who asks it over connections that others make.
    func call(_ desk: Desk, as origin: Origin, to host: String) throws -> Socket {
        let way = try away(.calls, of: host, 0)
        let socket = try desk.call(
            way.address, as: origin.description, to: way.curve == nil ? nil : host, context: context, curve: way.curve)
        watch(way) { [weak desk] address in
            try desk?.recall(address)
            return desk != nil
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
    public func inspect() throws(SettingError) -> Standing {
        guard let old = keys, let new = try CurveKeys(settings) else { return .good }
        if new.secret != old.secret || new.list.serving != old.list.serving { return .stale }
        guard new.list != old.list else { return .good }
        keeper?.replace(allow: new.list.admitted)
        keys = new
        return .listed
    }

    // MARK: Where

    private struct Way {
        let endpoint: String
        let address: String?
        let curve: Curve?
    }

    private func away(_ door: Door, of service: String, _ slot: Int, at host: String? = nil) throws -> Way {
        var endpoint = try settings.endpoint(door, of: service, slot: slot)
        if let host, let name = AddressBook.name(in: endpoint) { endpoint = "tcp://\(host):\(name.port)" }
        return Way(
            endpoint: endpoint, address: try book.numeric(endpoint),
            curve: try needed(at: endpoint)?.client(of: service))
    }

    private func bound(_ door: Door, _ slot: Int) throws -> (endpoint: String, curve: Curve?) {
        let endpoint = try settings.listening(door, of: service, slot: slot)
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

    private func watch(_ way: Way, _ redial: @escaping (String) throws -> Bool) {
        guard AddressBook.name(in: way.endpoint) != nil else { return }
        dialled.append(Dialled(endpoint: way.endpoint, current: way.address, redial: redial))
    }
}
