public import EventSourcing
public import Events
public import HTTP
public import Vocabulary

/// A service is a step function: what came in, at which time, gives effects. It has no clock, socket, disk, task or
/// chance of its own; `Host` drives it, and so could a simulation.
public protocol Service {
    /// `trace-ledger`; also the first half of its origin.
    static var name: String { get }
    /// Every table its views write.
    static var tables: [TableSchema] { get }
    /// What other processes than the gateway may ask over TCP, by service. Nothing unless said.
    static var askedBy: [String: Set<String>] { get }
    /// Whether all that this origin does with the hub is to witness it: nothing of it enters its tables, and the
    /// service hears nothing of it. Not so unless said.
    static func onlyWitnesses(_ origin: Origin) -> Bool
    /// Folds one event, its own or one that an intake entry names, into the tables. Pure.
    static func fold(_ told: RecordedEvent, into tables: some Tables)

    /// Why a source that is there does not work, in words for operators; nil while it does. Nil unless implemented.
    func trouble(of source: String) -> String?

    /// What the service leaves out because of limits of its own. Read about once a second; nothing unless implemented.
    var limits: ServiceLimits { get }

    /// Decides. What it appends is folded before the next input is seen; effects leave the house only after the
    /// events of the same step are on the disk.
    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect]

    /// Called in each round of the loop: whether every followed journal is consumed up to its last known head. It may
    /// influence only answers that are not stored. The default does nothing.
    mutating func update(isUpToDate: Bool)
}

extension Service {
    public static var askedBy: [String: Set<String>] { [:] }
    public static func onlyWitnesses(_ origin: Origin) -> Bool { false }
    public mutating func update(isUpToDate: Bool) {}
    public func trouble(of source: String) -> String? { nil }
    public var limits: ServiceLimits { ServiceLimits() }
}

/// What a service can be told.
public enum Input: Sendable {
    /// Somebody asks over the desk. A command the service has answered before never reaches it again.
    case asked(Request)
    /// Foreign events of a followed feed, in order, without the service's own. Host writes the intake entry.
    case heard(feed: String, events: [RecordedEvent])
    /// A radio, a file or a pipe is there, again or for the first time: what comes from it now begins anew.
    case opened(source: String)
    /// Bytes from a radio, a file or a pipe. `at` is when they were received.
    case received(source: String, bytes: [UInt8])
    /// The answer to an `ask` of this service; a passed deadline means unknown.
    case answered(token: UInt64, outcome: RequestOutcome)
    /// A request from outside; only the gateway has a door.
    case requested(WebRequest)
    /// A job handed to a worker is done.
    case finished(token: UInt64, result: [UInt8])
    /// About every 100 ms. `wall` is the machine's own time, which a demonstration's faster clock does not change:
    /// people sign in, and links run out, in this one.
    /// `boot` counts from the machine's start; nobody moves it.
    case ticked(wall: Instant, boot: BootTime? = nil)
}

/// A command or query from another service.
///
/// A class, though it never changes: inputs and effects carry it from hand to hand, and it has many members.
public final class Request: Sendable {
    /// Names the ask within this run of the host.
    public let id: UInt64
    /// `harvest`, `lot`: what is asked for.
    public let verb: String
    /// JSON.
    public let body: [UInt8]
    public let actor: Actor
    /// Whose request this is: the caller's idempotency key; nil for queries.
    public let key: String?
    /// 16 random bytes for names that this command has to invent; the same when the same ask is repeated.
    public let entropy: [UInt8]
    /// Which request of a tracing system it belongs to.
    public let trace: TraceParent?
    /// Tags of answers that the asker has already.
    public let known: [String]

    public init(
        id: UInt64, verb: String, body: [UInt8], actor: Actor, key: String?, entropy: [UInt8],
        trace: TraceParent? = nil, known: [String] = []
    ) {
        self.id = id
        self.verb = verb
        self.body = body
        self.actor = actor
        self.key = key
        self.entropy = entropy
        self.trace = trace
        self.known = known
    }
}

/// How an ask ended.
public enum RequestOutcome: Sendable {
    case answer(Response)
    /// Nobody answered in time; it may have been done.
    case unknown
}

/// A request from outside that waits for its response.
public struct WebRequest: Sendable {
    public let id: UInt64
    public let request: HTTPRequest
    /// 32 random bytes.
    public let entropy: [UInt8]
    /// Which request of its caller's tracing system it belongs to; nil where the caller did not say, or not readably.
    public var trace: TraceParent? { request.headers["traceparent"].flatMap(TraceParent.init) }
    /// Whether it came over TLS, so that its answer may carry secrets for this browser.
    public var isSecure: Bool { request.isSecure }

    public init(id: UInt64, request: HTTPRequest, entropy: [UInt8]) {
        self.id = id
        self.request = request
        self.entropy = entropy
    }
}

/// What a service wants done.
public enum Effect: Sendable {
    /// Write these events; nobody waits for it.
    case append([Draft])
    /// Write these events together with the answer, then give it; also for refusals, with no events. With an answer
    /// of 500 or more, or one that no message holds, nothing is written: the same key asks again.
    case settle(Request, [Draft], Response)
    /// Answer a query; nothing is kept.
    case reply(Request, Response)
    /// Ask another service; the outcome comes back as `answered` with the token.
    case ask(OutgoingRequest)
    /// Bytes to a radio.
    case send(source: String, bytes: [UInt8])
    /// Answer a request from outside.
    case respond(WebRequest, HTTPResponse)
    /// Keep the connection and send what is published under these topics as server-sent events; `head` is how the
    /// response begins.
    case subscribe(WebRequest, place: StreamPlace, topics: [String], head: HTTPResponse)
    /// A server-sent event for whoever subscribed to the topic.
    case publish(topic: String, name: String, data: [UInt8])
    /// End the streams of whoever subscribed to the topic: their rights are over.
    case hangUp(topic: String)
    /// Slow work on another thread; its result comes back as `finished` with the token.
    case work(token: UInt64, @Sendable () -> [UInt8])
    /// Words for a server outside, on a thread of this recipient's own, because it may hang; what comes of it comes
    /// back as `finished` with the token.
    case deliver(token: UInt64, to: String, @Sendable () -> [UInt8])
    /// Let go of what is old in a sealed run of the own journal; `JournalPruned` tells when it is done.
    case prune(Pruning)
    /// Something operators should see.
    case note(OperatorEvent)
}

/// Whom a stream of server-sent events belongs to, and the limits that it counts to.
public struct StreamPlace: Sendable, Equatable {
    /// Streams of one audience have a limit that no other audience uses up.
    public let audience: String
    public let mostOfAudience: Int
    /// A person, or the address of a client without an account.
    public let holder: String
    public let mostOfHolder: Int
    /// Whether the oldest stream of a holder over its limit is closed; otherwise the new one is refused.
    public let replacesOldest: Bool

    public init(audience: String, mostOfAudience: Int, holder: String, mostOfHolder: Int, replacesOldest: Bool) {
        self.audience = audience
        self.mostOfAudience = mostOfAudience
        self.holder = holder
        self.mostOfHolder = mostOfHolder
        self.replacesOldest = replacesOldest
    }
}

/// What is to be let go of a sealed run.
public struct Pruning: Sendable {
    public let positions: ClosedRange<Position>
    /// Of what nothing is let go, for the journal to tell.
    public let kept: [RetainedInterval]
    /// When an event that is to be let go happened; nil for one that stays. Called on a worker thread.
    public let age: @Sendable (RecordedEvent) -> Instant?

    public init(
        _ positions: ClosedRange<Position>, keeping kept: [RetainedInterval],
        age: @escaping @Sendable (RecordedEvent) -> Instant?
    ) {
        self.positions = positions
        self.kept = kept
        self.age = age
    }
}

/// A question to another service.
public struct OutgoingRequest: Sendable {
    /// `trace-ledger`, or an origin such as `sensor-ingest/farm-2`.
    public let to: String
    public let verb: String
    public let body: [UInt8]
    public let actor: Actor
    public let key: String?
    public let trace: TraceParent?
    /// Tags of answers that the caller has already.
    public let known: [String]
    public let token: UInt64
    public let seconds: Double

    public init(
        to: String, verb: String, body: [UInt8], actor: Actor, key: String? = nil, trace: TraceParent? = nil,
        known: [String] = [], token: UInt64, seconds: Double = 10
    ) {
        self.to = to
        self.verb = verb
        self.body = body
        self.actor = actor
        self.key = key
        self.trace = trace
        self.known = known
        self.token = token
        self.seconds = seconds
    }
}

/// A line for operators: a constant name, a count and bounded labels.
public struct OperatorEvent: Sendable, Equatable {
    public let name: String
    public let count: Int
    public let labels: [String: String]
    /// What the log says beside the labels; nothing is logged without it. It names no person but by number.
    public let logged: [String: String]

    public init(_ name: String, count: Int = 1, labels: [String: String] = [:], logged: [String: String] = [:]) {
        self.logged = logged
        self.name = name
        self.count = count
        self.labels = labels
    }
}
