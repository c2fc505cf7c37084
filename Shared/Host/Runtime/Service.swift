public import EventSourcing
public import Events
public import HTTP
public import Vocabulary
public import Wire

/// A service as a step function: an input and a time give effects. A service has no clock, socket, disk, thread or
/// random source.
///
/// `Host` drives it in production; a simulation drives it in tests.
///
/// A service decides in `step` and builds its read model in `fold`:
/// ```
/// struct Counting: Service {
///     static let name = "counting"
///     static let tables = [CountRow.schema]
///
///     static func fold(_ recorded: RecordedEvent, into tables: some Tables) {
///         guard case .sensors(.measured(let event)) = recorded.fact else { return }
///         var row = tables.get(CountRow.self, event.device.rawValue) ?? CountRow(key: event.device.rawValue)
///         row.count += 1
///         tables.put(row)
///     }
///
///     mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
///         guard case .asked(let request) = input, let row = tables.get(CountRow.self, "ble:01") else { return [] }
///         return [.reply(request, .made { $0.field("count", row.count) })]
///     }
/// }
/// ```
public protocol Service {
    /// The service's name, such as `trace-ledger`, which is also the first half of its origin.
    static var name: String { get }
    /// The schemas of all tables that `fold` writes.
    static var tables: [TableSchema] { get }
    /// The verbs that services other than the gateway may request over TCP, by service name. Empty by default.
    static var allowedVerbs: [String: Set<String>] { get }
    /// Returns whether this origin only witnesses the hub: it stores no hub events, and the service receives none. The
    /// default returns false.
    static func onlyWitnesses(_ origin: Origin) -> Bool
    /// Whether `fold` takes the clock marks of other origins' journals. The default is false.
    static var takesClockMarks: Bool { get }
    /// Applies one event to the tables: an own event, or a foreign one that a checkpoint event names. Must be pure.
    static func fold(_ told: RecordedEvent, into tables: some Tables)

    /// Returns why the open source `source` does not work, in words for operators, or nil if it works. The default
    /// returns nil.
    func trouble(of source: String) -> String?

    /// What the service leaves out because of its own limits. Read about once a second; empty by default.
    var limits: ServiceLimits { get }

    /// Decides on one input and returns the effects. Appended events are projected before the next input is taken.
    /// Other effects are performed only after the events of the same step are on the disk.
    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect]

    /// Returns events that follow from the tables alone; they become part of the commit that is about to be made.
    /// Called again after they are projected, until it returns none. The default returns none.
    func consequences(seeing tables: any Tables) -> [Draft]

    /// Called in each round of the event loop with whether every followed journal is consumed up to its last known
    /// head. The value may influence only responses that are not stored. The default does nothing.
    mutating func update(isUpToDate: Bool)

    /// Called about once a second for each source that is not open; `why` is a text for operators, nil if nothing has
    /// failed. It may influence only responses that are not stored. The default does nothing.
    mutating func update(closed source: String, why: String?)
}

extension Service {
    /// The default: no verb may be requested by a service other than the gateway.
    public static var allowedVerbs: [String: Set<String>] { [:] }
    /// The default: the clock marks of other origins are left out.
    public static var takesClockMarks: Bool { false }
    /// The default: no origin only witnesses.
    public static func onlyWitnesses(_ origin: Origin) -> Bool { false }
    /// The default: nothing follows.
    public func consequences(seeing tables: any Tables) -> [Draft] { [] }
    /// The default does nothing.
    public mutating func update(isUpToDate: Bool) {}
    /// The default does nothing.
    public mutating func update(closed source: String, why: String?) {}
    /// The default: every open source works.
    public func trouble(of source: String) -> String? { nil }
    /// The default: nothing is left out.
    public var limits: ServiceLimits { ServiceLimits() }
}

/// An input of a service's step function.
public enum Input: Sendable {
    /// Another service sent a request. A command that has a stored response is not passed to the service again.
    case asked(Request)
    /// Foreign events of a followed feed, in order, without the service's own. The host writes the checkpoint event.
    case heard(feed: String, events: [RecordedEvent])
    /// A source (radio, file or pipe) was opened or reopened: its byte stream starts afresh, so parsers must reset.
    case opened(source: String)
    /// Bytes from a source. `at` of the step is the time at which they were received.
    case received(source: String, bytes: [UInt8])
    /// The response to a request that this service sent with `ask`; `unknown` once its deadline has passed.
    case answered(token: UInt64, outcome: RequestOutcome)
    /// An HTTP request. Only the gateway has HTTP listeners.
    case requested(WebRequest)
    /// A job given to a worker thread has finished with this result.
    case finished(token: UInt64, result: [UInt8])
    /// Sent about every 100 ms. `wall` is the machine's own time, which the faster clock of a demonstration does not
    /// change. Sign-ins and the expiry of links use `wall`. `boot` is the time since the machine started, which cannot
    /// be set.
    case ticked(wall: Instant, boot: BootTime? = nil)
}

/// A command or query from another service.
///
/// A class because inputs and effects pass it on, and copying its many members would cost more than a reference.
public final class Request: Sendable {
    /// The identifier of the request within this run of the host.
    public let id: UInt64
    /// The name of the command or query, such as `harvest` or `lot`.
    public let verb: String
    /// The body as JSON.
    public let body: [UInt8]
    /// The person or service on whose behalf the request is made.
    public let actor: Actor
    /// The caller's idempotency key; nil for queries.
    public let key: String?
    /// 16 random bytes for identifiers that the command creates; a repeated request carries the same bytes.
    public let entropy: [UInt8]
    /// The W3C trace context of the request, if it has one.
    public let trace: TraceParent?
    /// Entity tags of the responses that the caller has cached.
    public let known: [String]

    /// Creates a request; `Host` does this for each request that it receives.
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

/// The outcome of a request to another service.
public enum RequestOutcome: Sendable {
    /// The other service responded.
    case answer(Response)
    /// No response arrived before the deadline; the request may have been executed.
    case unknown
}

/// An HTTP request that waits for its response.
public struct WebRequest: Sendable {
    /// The identifier of the request within this run of the host.
    public let id: UInt64
    /// The request as it was received.
    public let request: HTTPRequest
    /// 32 random bytes for identifiers and secrets that the response creates.
    public let entropy: [UInt8]
    /// The W3C trace context in `traceparent`; nil if the header is missing or malformed.
    public var trace: TraceParent? { request.headers["traceparent"].flatMap(TraceParent.init) }
    /// Whether the request arrived over TLS, so that its response may carry secrets for this browser.
    public var isSecure: Bool { request.isSecure }

    /// Creates a web request; `Host` does this for each HTTP request that it receives.
    public init(id: UInt64, request: HTTPRequest, entropy: [UInt8]) {
        self.id = id
        self.request = request
        self.entropy = entropy
    }
}

/// An effect that a service returns from its step.
public enum Effect: Sendable {
    /// Appends these events without a response. An event that is too large is left out and counted.
    case append([Draft])
    /// Appends these events together with the response in one commit, then sends the response. A refusal has no events.
    /// If the response is a temporary failure (5xx, 425) or exceeds a message, nothing is written and the key stays
    /// free.
    case settle(Request, [Draft], Response)
    /// Responds to a query; nothing is stored.
    case reply(Request, Response)
    /// Sends a request to another service; the outcome is passed to `step` as `answered` with the token.
    case ask(OutgoingRequest)
    /// Writes bytes to a source, such as a radio.
    case send(source: String, bytes: [UInt8])
    /// Closes a source, which is then reopened as if it had ended. `why` is a text for operators.
    case close(source: String, why: String)
    /// Responds to an HTTP request.
    case respond(WebRequest, HTTPResponse)
    /// Responds to an HTTP request with a body in pieces, of which the body of `head` is the first.
    ///
    /// When it is sent, `finished` with the token is passed to `step`. Its result is empty if the client has
    /// disconnected.
    case beginBody(WebRequest, head: HTTPResponse, token: UInt64)
    /// Sends a further piece of a body that was begun, and finishes like `beginBody`.
    case continueBody(WebRequest, BodyPiece, token: UInt64)
    /// Keeps the connection open and sends what is published under these topics as server-sent events. `head` is the
    /// head of the HTTP response.
    case subscribe(WebRequest, place: StreamPlace, topics: [String], head: HTTPResponse)
    /// Sends a server-sent event to the subscribers of the topic.
    case publish(topic: String, name: String, data: [UInt8])
    /// Ends the streams of the topic's subscribers, because their rights have ended.
    case hangUp(topic: String)
    /// Runs slow work on a worker thread; its result is passed to `step` as `finished` with the token.
    case work(token: UInt64, @Sendable () -> [UInt8])
    /// Delivers a message to an external server on a thread of this recipient, because the server may hang. The result
    /// is passed to `step` as `finished` with the token.
    case deliver(token: UInt64, to: String, @Sendable () -> [UInt8])
    /// Prunes old entries of a sealed run of the own journal; `JournalPruned` is recorded when it is done.
    case prune(Pruning)
    /// Counts, and optionally logs, an event for operators.
    case note(OperatorEvent)
}

/// A piece of an HTTP response's body.
public enum BodyPiece: Sendable {
    case more([UInt8])
    /// The last piece; nothing is passed to `step` afterwards.
    case last([UInt8])
    /// The rest is missing: the connection is broken off. Nothing is passed to `step` afterwards.
    case missing
}

/// The owner of a stream of server-sent events, and the limits that apply to it.
public struct StreamPlace: Sendable, Equatable {
    /// The group of streams that shares one limit, which other groups cannot use up.
    public let audience: String
    /// The maximum number of open streams of the audience.
    public let audienceMax: Int
    /// A person, or the address of a client without an account.
    public let holder: String
    /// The maximum number of open streams of the holder.
    public let holderMax: Int
    /// Whether the oldest stream of a holder over its limit is closed; otherwise the new one is refused.
    public let replacesOldest: Bool

    /// Creates the place of a stream with the limits of its audience and its holder.
    public init(audience: String, audienceMax: Int, holder: String, holderMax: Int, replacesOldest: Bool) {
        self.audience = audience
        self.audienceMax = audienceMax
        self.holder = holder
        self.holderMax = holderMax
        self.replacesOldest = replacesOldest
    }
}

/// Which entries of a sealed run are to be pruned.
public struct Pruning: Sendable {
    /// The positions of the sealed run.
    public let positions: ClosedRange<Position>
    /// The intervals in which no entry is pruned; `JournalPruned` records them.
    public let kept: [RetainedInterval]
    /// Returns when an event that is to be pruned happened, or nil for an event to retain. Called on a worker thread.
    public let age: @Sendable (RecordedEvent) -> Instant?

    /// Creates a pruning of `positions` that retains the intervals `kept`.
    public init(
        _ positions: ClosedRange<Position>, keeping kept: [RetainedInterval],
        age: @escaping @Sendable (RecordedEvent) -> Instant?
    ) {
        self.positions = positions
        self.kept = kept
        self.age = age
    }
}

/// A request to another service.
public struct OutgoingRequest: Sendable {
    /// The receiver: a service such as `trace-ledger`, or an origin such as `sensor-ingest/farm-2`.
    public let to: String
    /// The name of the command or query.
    public let verb: String
    /// The body as JSON.
    public let body: [UInt8]
    /// The person or service on whose behalf the request is made.
    public let actor: Actor
    /// The idempotency key of a command; nil for queries.
    public let key: String?
    /// The W3C trace context to pass on, if there is one.
    public let trace: TraceParent?
    /// Entity tags of the responses that the caller has cached.
    public let known: [String]
    /// Identifies the request in the `answered` input that carries its outcome.
    public let token: UInt64
    /// The deadline in seconds, after which the outcome is `unknown`.
    public let seconds: Double

    /// Creates a request.
    ///
    /// - Parameter to: the service or origin; by default the service that answers such a request.
    public init(
        _ name: some RequestName, to: String? = nil, body: [UInt8], actor: Actor, key: String? = nil,
        trace: TraceParent? = nil, known: [String] = [], token: UInt64, seconds: Double = 10
    ) {
        self.to = to ?? name.service
        verb = name.rawValue
        self.body = body
        self.actor = actor
        self.key = key
        self.trace = trace
        self.known = known
        self.token = token
        self.seconds = seconds
    }

    /// Creates the request for the status of an origin, which the host of every service answers.
    public init(statusOf origin: String, actor: Actor, token: UInt64, seconds: Double) {
        to = origin
        verb = HostVerb.status.rawValue
        body = Array("{}".utf8)
        self.actor = actor
        key = nil
        trace = nil
        known = []
        self.token = token
        self.seconds = seconds
    }
}

/// An event for operators: a constant name, a count and labels with a bounded number of values.
public struct OperatorEvent: Sendable, Equatable {
    /// The name of the metric, without its prefix `furrow_`.
    public let name: String
    /// The number to add to the metric.
    public let count: Int
    /// The labels of the metric.
    public let labels: [String: String]
    /// Fields to log beside the labels; if empty, nothing is logged. Persons appear in them only by number.
    public let logged: [String: String]

    /// Creates an event with the count 1 and without labels, unless they are given.
    public init(_ name: String, count: Int = 1, labels: [String: String] = [:], logged: [String: String] = [:]) {
        self.logged = logged
        self.name = name
        self.count = count
        self.labels = labels
    }
}
