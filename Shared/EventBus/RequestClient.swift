public import EventSourcing
import JSON
import System
public import Vocabulary
public import ZeroMQ

/// Sends requests to one server. Owned by one thread, which polls `socket`.
///
/// A restarted service does not know its pending requests, so a command is repeated unchanged every second until its
/// deadline; after that its outcome is unknown. A query may take longer, and is repeated only after the connection was
/// lost: libzmq then discards unread messages, including the response.
///
/// ```
/// let ledger = try RequestClient(endpoint: "ipc:///run/furrow/ledger.ask", context: context)
/// let outcome = try ledger.askAndWait(
///     verb: "lot", body: body, actor: actor, key: nil, entropy: Random.bytes(16), seconds: 10)
/// ```
public final class RequestClient {
    /// The outcome of a request.
    public enum Outcome: Sendable, Equatable {
        case answer(Response)
        /// No response arrived before the deadline; the request may have been executed.
        case unknown
    }

    /// A class, because it is looked up to be sent again and has many members.
    private final class Pending {
        /// The server among those that dialled in; empty if this client dials.
        let callee: String
        let verb: String
        let body: [UInt8]
        let actor: Actor
        let key: String?
        let entropy: [UInt8]
        let trace: TraceParent?
        let known: [String]
        let deadline: Int64
        let repeats: Bool
        /// The time at which it is sent next; `deadline` if it is not sent again.
        var sendsNext: Int64

        init(
            callee: String, verb: String, body: [UInt8], actor: Actor, key: String?, entropy: [UInt8],
            trace: TraceParent?, known: [String], deadline: Int64, repeats: Bool, sendsNext: Int64
        ) {
            self.callee = callee
            self.verb = verb
            self.body = body
            self.actor = actor
            self.key = key
            self.entropy = entropy
            self.trace = trace
            self.known = known
            self.deadline = deadline
            self.repeats = repeats
            self.sendsNext = sendsNext
        }
    }

    private var line: MessageSocket
    private var callees: ReverseConnections?
    private var pending: [UInt64: Pending] = [:]
    private var lastRequest: UInt64 = 0
    /// Whether the last call of `receive` found no response.
    private var isSilent = false
    /// The time at which `receive` has work to do even if nothing arrives; nil if no request is pending.
    public private(set) var nextDeadline: Int64?
    /// The anomalies since the start.
    public private(set) var counts = BusCounts()

    /// Dials a numeric TCP address or an ipc path, and reconnects; nil while the address is unknown.
    public init(endpoint: String?, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try MessageSocket(dialling: endpoint, in: context, queue: BusLimits.requestQueue, curve: curve)
    }

    /// Binds an endpoint for servers that dial in and send their names (`RequestServer.call`). Requests name the
    /// server.
    ///
    /// - Parameter admit: returns whether a process, by its authenticated name, may receive requests under a name.
    public init(
        binding endpoint: String, context: Context, curve: Curve? = nil,
        admit: @escaping (_ name: String, _ user: String?) -> Bool = { _, _ in true }
    ) throws(BusError) {
        line = try MessageSocket(binding: endpoint, in: context, queue: BusLimits.requestQueue, curve: curve)
        callees = ReverseConnections(admit: admit)
    }

    /// Dials another address of the server.
    public func redial(_ endpoint: String) throws(BusError) {
        try line.redial(endpoint)
    }

    /// The socket to poll.
    public var socket: Socket { line.socket }

    /// The number of requests that wait for a response.
    public var outstanding: Int { pending.count }

    /// Sends a request and returns its number, under which `receive` returns the outcome.
    ///
    /// Throws if the request exceeds a limit or too many are pending.
    ///
    /// - Parameters:
    ///   - callee: name of a server that dialled in; empty if this client dials.
    ///   - entropy: 16 random bytes from which the service may create identifiers.
    ///   - trace: W3C trace context to pass on.
    ///   - known: entity tags of cached responses, at most `BusLimits.knownTags`.
    ///   - seconds: how long to wait, at most `BusLimits.requestSeconds`.
    ///   - repeats: whether to send it every second; by default only commands (with a key) are repeated.
    ///   - monotonicMicroseconds: the present time of the clock that `receive` uses too.
    public func ask(
        _ callee: String = "", verb: String, body: [UInt8], actor: Actor, key: String?, entropy: [UInt8],
        trace: TraceParent? = nil, known: [String] = [], seconds: Double, repeats: Bool? = nil,
        at monotonicMicroseconds: Int64
    ) throws(BusError) -> UInt64 {
        try BusError.check("verb", verb.utf8.count, in: 1...BusLimits.verbBytes)
        try BusError.check("key", key?.utf8.count ?? 1, in: 1...BusLimits.keyBytes)
        try BusError.check("body", body.count, in: 0...BusLimits.bodyBytes)
        try BusError.check("entropy", entropy.count, in: BusLimits.entropyBytes...BusLimits.entropyBytes)
        guard pending.count < BusLimits.requestsPending else {
            throw .full(what: "asks", limit: BusLimits.requestsPending)
        }
        let patience = seconds.isFinite ? min(max(seconds, 0), BusLimits.requestSeconds) : BusLimits.requestSeconds
        lastRequest += 1
        let ask = Pending(
            callee: callee, verb: verb, body: body, actor: actor, key: key, entropy: entropy, trace: trace,
            known: Array(known.prefix(BusLimits.knownTags)),
            deadline: monotonicMicroseconds + Int64(patience * 1_000_000), repeats: repeats ?? (key != nil),
            sendsNext: monotonicMicroseconds)
        try send(lastRequest, ask, at: monotonicMicroseconds)
        pending[lastRequest] = ask
        return lastRequest
    }

    /// Returns the responses that have arrived, and `unknown` for requests whose deadline has passed.
    public func receive(
        at monotonicMicroseconds: Int64
    ) throws(BusError) -> [(request: UInt64, outcome: Outcome)] {
        var outcomes = try arrivals()
        if outcomes.isEmpty, isSilent {
            // Without a response the connection may be lost, so it is checked. The check may make messages readable
            // (see `Socket.descriptor`).
            try noteLoss(at: monotonicMicroseconds)
            outcomes = try arrivals()
        }
        isSilent = outcomes.isEmpty
        guard let due = nextDeadline, due <= monotonicMicroseconds || pending.isEmpty else { return outcomes }
        nextDeadline = nil
        for (request, ask) in pending.sorted(by: { $0.key < $1.key }) {
            if ask.deadline <= monotonicMicroseconds {
                pending[request] = nil
                outcomes.append((request, .unknown))
            } else if ask.sendsNext <= monotonicMicroseconds {
                try send(request, ask, at: monotonicMicroseconds)
            } else {
                remind(at: min(ask.sendsNext, ask.deadline))
            }
        }
        return outcomes
    }

    /// Returns the responses that can be read.
    private func arrivals() throws(BusError) -> [(request: UInt64, outcome: Outcome)] {
        var outcomes: [(request: UInt64, outcome: Outcome)] = []
        var budget = BusLimits.requestsPending
        while let arrival = try line.receive(&budget, counting: &counts) {
            do throws(BusAnomaly) {
                if arrival.message.kind == .hello, callees != nil {
                    try callees?.announced(arrival)
                    continue
                }
                let (request, answer) = try answer(arrival)
                guard pending.removeValue(forKey: request) != nil else { throw .lateAnswer }
                outcomes.append((request, .answer(answer)))
            } catch { counts.note(error) }
        }
        return outcomes
    }

    /// Schedules pending queries to be sent again if the connection to the server was lost.
    private func noteLoss(at now: Int64) throws(BusError) {
        let asked = pending.values.lazy.filter { $0.sendsNext == $0.deadline && $0.deadline > now }
        guard callees == nil, !asked.isEmpty, try !line.isOpen() else { return }
        for ask in asked { ask.sendsNext = now }
        remind(at: now)
    }

    private func send(_ request: UInt64, _ ask: Pending, at now: Int64) throws(BusError) {
        let header = FeedHeader.write { json in
            json.field("verb", ask.verb)
            json.field("actor", ask.actor)
            json.field("key", ifPresent: ask.key)
            json.field("entropy", Hex.encode(ask.entropy))
            json.field("trace", ifPresent: ask.trace)
            if !ask.known.isEmpty { json.field("known", ask.known) }
            json.field("deadline", max(ask.deadline - now, 0) / 1000)
        }
        try BusError.check("header", header.count, in: 0...BusLimits.headerBytes)
        let message = Message(.asked, request: request, header: header, payload: ask.body)
        if let peer = peer(of: ask), try line.send(message, to: peer) {
            ask.sendsNext = ask.repeats ? now + BusTiming.repetition : ask.deadline
        } else {
            ask.sendsNext = now + BusTiming.connecting
        }
        remind(at: min(ask.sendsNext, ask.deadline))
    }

    private func remind(at time: Int64) {
        nextDeadline = min(nextDeadline ?? time, time)
    }

    /// Returns the routing id for a request; nil while its server has not dialled in.
    private func peer(of ask: Pending) -> [UInt8]? {
        guard let callees else { return [] }
        return callees.peer(of: ask.callee)
    }

    private func answer(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) -> (UInt64, Response) {
        let message = arrival.message
        guard message.kind == .answered else { throw .misplacedMessage }
        // A server may respond only to requests that were sent to it.
        if let ask = pending[message.request], peer(of: ask) != arrival.peer { throw .notAdmitted }
        let (status, tag) = try FeedHeader.parse(message.header) { json throws(JSONError) in
            let status: Int = try json.get("status")
            guard (100...599).contains(status) else { throw json.error("expected a status") }
            let tag: String? = try json.find("tag")
            return (status, tag)
        }
        return (message.request, Response(status: status, body: message.payload, tag: tag))
    }
}

extension RequestClient {
    /// Sends a request and waits for its outcome, for tools that do nothing else; outcomes of other requests are
    /// discarded.
    public func askAndWait(
        verb: String, body: [UInt8], actor: Actor, key: String?, entropy: [UInt8], seconds: Double,
        repeats: Bool? = nil
    ) throws(BusError) -> Outcome {
        let request = try ask(
            "", verb: verb, body: body, actor: actor, key: key, entropy: entropy, seconds: seconds, repeats: repeats,
            at: Clock.monotonicMicroseconds())
        var poller = Poller()
        _ = poller.add(socket)
        while true {
            for (answered, outcome) in try receive(at: Clock.monotonicMicroseconds()) where answered == request {
                return outcome
            }
            let now = Clock.monotonicMicroseconds()
            let pause = max((nextDeadline ?? now) - now, 0) / 1000 + 1
            do throws(ZeroMQError) { _ = try poller.wait(milliseconds: Int(pause)) } catch { throw .transport(error) }
        }
    }
}
