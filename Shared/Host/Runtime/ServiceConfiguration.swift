public import EventSourcing
public import EventStore
public import HTTP
import System

/// The parts of a service that its `main` assembles for the host to run.
///
/// ```
/// var configuration = ServiceConfiguration(
///     service: CatalogOrders(vault: vault, hasSandbox: false), settings: settings, origin: origin, log: log,
///     tables: tables, readers: { [try SQLiteReader(path: path)] }, listening: .hub)
/// configuration.idle = { try log.idle() }
/// ```
public struct ServiceConfiguration<S: Service> {
    /// The step function.
    public var service: S
    /// The settings read from the environment.
    public var settings: Settings
    /// The origin under which the service records events, such as `sensor-ingest/farm-2`.
    public var origin: Origin
    /// The service's own journal.
    public var log: any EventLog
    /// The store of the service's read model.
    public var tables: any TableStore
    /// Opens readers of the journals that this process serves; called on the thread that serves them.
    public var readers: @Sendable () throws -> [any LogReader]
    /// The journals whose events the service consumes.
    public var listening: ConsumedFeeds
    /// The queries that are processed on a thread of their own; if nil, the event loop processes all queries.
    public var queries: QueryPlan?
    /// The service that sends requests to this one over a connection that this one opens; nil if callers dial this one.
    public var caller: String?
    /// The services to which this one sends requests over connections that they open.
    public var reverseServers: Set<String> = []
    /// The sources of bytes that the event loop reads.
    public var sources: [any Source] = []
    /// The HTTP listeners; only the gateway has some.
    public var web: [HTTPListener] = []
    /// Called after every commit of new events, before any of its effects is performed.
    public var afterCommit: () throws -> Void = {}
    /// Gauges that do not change while the process runs, by their names after `furrow_`.
    public var constants: [String: Double] = [:]
    /// Returns whether a request only reads; such requests are accepted while nothing new can be recorded.
    public var isRead: @Sendable (HTTPRequest) -> Bool = { ["GET", "HEAD", "OPTIONS"].contains($0.method) }
    /// Returns the growth of the hub when an operator requests the status; nil if this process is not the hub.
    public var growth: () throws -> HubGrowth? = { nil }
    /// Does the service's own maintenance when the event loop is idle, about once a second.
    public var idle: () throws -> Void = {}

    /// Creates a configuration with the required parts; set the other properties afterwards.
    public init(
        service: S, settings: Settings, origin: Origin, log: any EventLog, tables: any TableStore,
        readers: @escaping @Sendable () throws -> [any LogReader], listening: ConsumedFeeds
    ) {
        self.service = service
        self.settings = settings
        self.origin = origin
        self.log = log
        self.tables = tables
        self.readers = readers
        self.listening = listening
    }
}

/// The journals whose events a service consumes.
public enum ConsumedFeeds: Sendable, Equatable {
    /// The hub's journal; every service but the hub itself uses it.
    case hub
    /// The journal of every origin that connects; only the hub uses it.
    case origins
    /// No journal: the installation has no hub.
    case nothing
}

/// A source of bytes: the serial line of a radio, a pipe, a file, or a connection to a server. One thread owns it.
public protocol Source: AnyObject {
    /// The name of the source, which inputs and effects use.
    var name: String { get }
    /// The descriptor to poll; nil while the source is not there (unplugged, not started).
    var descriptor: Int32? { get }
    /// Returns the bytes that have arrived, without waiting; empty if there are none.
    func read() -> [UInt8]
    /// Writes bytes to the source; what it cannot accept is lost.
    func write(_ bytes: [UInt8])
    /// Tries to reopen the source; called about once a second while `descriptor` is nil. Returns true if the byte
    /// stream restarted and parsers must reset.
    func reopen() -> Bool
    /// Closes the source because the service gave it up; `why` is a text for operators. The default does nothing.
    func close(why: String)
    /// Why the source is not open, as a text for operators; nil if that needs no explanation.
    var problem: String? { get }
}

extension Source {
    /// The default does nothing: a line is not closed.
    public func close(why: String) {}
    /// The default: a line that is not there is unplugged.
    public var problem: String? { nil }
}

/// The configuration of an HTTP listener; only the gateway has some.
public struct HTTPListener: Sendable {
    /// The address to listen at.
    public var address: String
    /// The TCP port to listen at.
    public var port: Int
    /// The certificate and key for TLS; nil serves plain HTTP.
    public var tls: TLSIdentity?
    /// The proxies whose forwarding headers are trusted.
    public var proxies: TrustedProxies
    /// Headers of every response, including those that the service does not produce.
    public var commonHeaders: HTTPHeaders
    /// The limits of one request and of one address.
    public var limits: HTTPLimits
    /// Returns the response to a request that needs no decision, such as a static file; nil passes it to the step
    /// function.
    public var staticResponse: @Sendable (HTTPRequest) -> HTTPResponse?
    /// Returns the exchange of a request that is carried inside another one, such as an encrypted one, and any other
    /// exchange as it is; nil once it has answered itself.
    public var carried: @Sendable (HTTPExchange) -> HTTPExchange?

    /// Creates a listener configuration without TLS and trusted proxies, unless they are given.
    public init(
        address: String, port: Int, tls: TLSIdentity? = nil, proxies: TrustedProxies = .none,
        commonHeaders: HTTPHeaders = [:], limits: HTTPLimits,
        staticResponse: @escaping @Sendable (HTTPRequest) -> HTTPResponse?,
        carried: @escaping @Sendable (HTTPExchange) -> HTTPExchange? = { $0 }
    ) {
        self.address = address
        self.port = port
        self.tls = tls
        self.proxies = proxies
        self.commonHeaders = commonHeaders
        self.limits = limits
        self.staticResponse = staticResponse
        self.carried = carried
    }
}
