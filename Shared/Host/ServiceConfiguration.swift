public import EventSourcing
public import EventStore
public import HTTP
import System

/// What a service's `main` puts together for the host to run.
public struct ServiceConfiguration<S: Service> {
    public var service: S
    public var settings: Settings
    public var origin: Origin
    public var log: any EventLog
    public var tables: any TableStore
    /// Opens readers of the journals this process serves; called on the thread that serves them.
    public var readers: @Sendable () throws -> [any LogReader]
    public var listening: Listening
    /// Which queries are answered on a thread of their own; nil answers all of them in the loop.
    public var queries: QueryPlan?
    /// Who asks this service over a connection that it makes itself, because there are many of it.
    public var caller: String?
    /// Which services this one asks over connections that they make.
    public var callees: Set<String> = []
    public var sources: [any Source] = []
    public var web: [HTTPListener] = []
    /// Called after every commit, before anything of it leaves the house.
    public var afterCommit: () throws -> Void = {}
    /// Numbers that operators see and that stay as they are while the process lives, by their names after `furrow_`.
    public var constants: [String: Double] = [:]
    /// What people may still ask when nothing new can be recorded.
    public var isRead: @Sendable (HTTPRequest) -> Bool = { ["GET", "HEAD", "OPTIONS"].contains($0.method) }
    /// By how much the hub grows, asked for when an operator looks; nil where this is not the hub.
    public var growth: () throws -> HubGrowth? = { nil }
    /// Looks after its own upkeep when nothing else is to do, about once a second.
    public var idle: () throws -> Void = {}

    public init(
        service: S, settings: Settings, origin: Origin, log: any EventLog, tables: any TableStore,
        readers: @escaping @Sendable () throws -> [any LogReader], listening: Listening
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

/// Whose events a service takes in.
public enum Listening: Sendable, Equatable {
    /// The hub's, as everyone but the hub does.
    case hub
    /// Every origin's that comes to be read: this is the hub.
    case origins
    /// Nobody's: there is no hub.
    case nothing
}

/// Where bytes come from: a radio's serial line, a pipe, a file. One thread owns it.
public protocol Source: AnyObject {
    var name: String { get }
    /// What to wait on; nil while it is not there (unplugged, not started).
    var descriptor: Int32? { get }
    /// What has come since, without waiting; empty if nothing.
    func read() -> [UInt8]
    func write(_ bytes: [UInt8])
    /// Tries to get it back; about once a second while `descriptor` is nil. True where what comes from it now does not
    /// go on from what came before.
    func reopen() -> Bool
}

/// A door to the outside: only the gateway has some.
public struct HTTPListener: Sendable {
    public var address: String
    public var port: Int
    /// Who to be over TLS; nil speaks plain HTTP.
    public var tls: TLSIdentity?
    /// Whose word is taken for who calls.
    public var proxies: TrustedProxies
    /// What every answer carries, those that the service never sees included.
    public var commonHeaders: HTTPHeaders
    /// How much it takes, of one request and of one address.
    public var limits: HTTPLimits
    /// Answers at once what needs no decision, such as files; nil hands the request to the step function.
    public var shelf: @Sendable (HTTPRequest) -> HTTPResponse?

    public init(
        address: String, port: Int, tls: TLSIdentity? = nil, proxies: TrustedProxies = .none,
        commonHeaders: HTTPHeaders = [:], limits: HTTPLimits, shelf: @escaping @Sendable (HTTPRequest) -> HTTPResponse?
    ) {
        self.address = address
        self.port = port
        self.tls = tls
        self.proxies = proxies
        self.commonHeaders = commonHeaders
        self.limits = limits
        self.shelf = shelf
    }
}
