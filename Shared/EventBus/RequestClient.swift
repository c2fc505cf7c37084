public import EventSourcing
import JSON
import System
public import Vocabulary
public import ZeroMQ

/// Asks one desk; owned by one thread, which polls `socket`.
///
/// A restarted service forgets who asked it, so a command is asked again every second, word by word, until its
/// deadline; after that its outcome is unknown. A question may take its time, and is asked again only once the
/// connection was lost: libzmq drops with it what was not read, the answer, too.
public final class RequestClient {
    /// How an ask ended.
    public enum Outcome: Sendable, Equatable {
        case answer(Response)
        /// Nobody answered in time; it may have been done.
        case unknown
    }

    /// A class: it is looked up to be sent again, and has many members.
    private final class Pending {
        /// Who of those that dialled in; empty where this asker dials.
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
        /// When it is sent next; `deadline` if it is not sent again.
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
    /// Nothing was answered when it was looked last.
    private var isSilent = false
    /// When something is due; nil if nothing is outstanding.
    public private(set) var nextDeadline: Int64?
    public private(set) var counts = BusCounts()

    /// Dials a numeric TCP address or an ipc path, and keeps dialling; nil while the address is not known.
    public init(endpoint: String?, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try MessageSocket(dialling: endpoint, in: context, queue: BusLimits.askQueue, curve: curve)
    }

    /// Waits for desks that dial in and say who they are (`RequestServer.call`), and asks them by that name.
    ///
    /// - Parameter admit: which process may be called what, by the name that the doorkeeper gave it.
    public init(
        binding endpoint: String, context: Context, curve: Curve? = nil,
        admit: @escaping (_ name: String, _ user: String?) -> Bool = { _, _ in true }
    ) throws(BusError) {
        line = try MessageSocket(binding: endpoint, in: context, queue: BusLimits.askQueue, curve: curve)
        callees = ReverseConnections(admit: admit)
    }

    /// The desk has another address.
    public func redial(_ endpoint: String) throws(BusError) {
        try line.redial(endpoint)
    }

    public var socket: Socket { line.socket }

    /// How many asks wait for an answer.
    public var outstanding: Int { pending.count }

    /// Asks, and gives the number under which `receive` tells the outcome.
    ///
    /// - Parameters:
    ///   - callee: the name of a desk that dials in; nothing where this asker dials.
    ///   - entropy: 16 random bytes from which the service may make names.
    ///   - trace: which request of a tracing system it belongs to.
    ///   - known: tags of answers that the caller has, at most `BusLimits.knownTags`.
    ///   - seconds: how long to wait, at most `BusLimits.askSeconds`.
    ///   - repeats: whether to ask again every second; unless said, for commands (with a key) only.
    ///   - monotonicMicroseconds: now, on the clock that `receive` is given, too.
    public func ask(
        _ callee: String = "", verb: String, body: [UInt8], actor: Actor, key: String?, entropy: [UInt8],
        trace: TraceParent? = nil, known: [String] = [], seconds: Double, repeats: Bool? = nil,
        at monotonicMicroseconds: Int64
    ) throws(BusError) -> UInt64 {
        try BusError.check("verb", verb.utf8.count, in: 1...BusLimits.verbBytes)
        try BusError.check("key", key?.utf8.count ?? 1, in: 1...BusLimits.keyBytes)
        try BusError.check("body", body.count, in: 0...BusLimits.bodyBytes)
        try BusError.check("entropy", entropy.count, in: BusLimits.entropyBytes...BusLimits.entropyBytes)
        guard pending.count < BusLimits.asksOutstanding else {
            throw .full(what: "asks", limit: BusLimits.asksOutstanding)
        }
        let patience = seconds.isFinite ? min(max(seconds, 0), BusLimits.askSeconds) : BusLimits.askSeconds
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

    /// What was answered since, and what is past its deadline.
    public func receive(
        at monotonicMicroseconds: Int64
    ) throws(BusError) -> [(request: UInt64, outcome: Outcome)] {
        var outcomes = try arrivals()
        if outcomes.isEmpty, isSilent {
            // Who answers is there; of others it is looked. It may bring what is read at once (see
            // `Socket.descriptor`).
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

    /// What was answered and can be read.
    private func arrivals() throws(BusError) -> [(request: UInt64, outcome: Outcome)] {
        var outcomes: [(request: UInt64, outcome: Outcome)] = []
        var budget = BusLimits.asksOutstanding
        while let arrival = try line.receive(&budget, counting: &counts) {
            do throws(BusAnomaly) {
                if arrival.message.kind == .hello, callees != nil {
                    try callees?.met(arrival)
                    continue
                }
                let (request, answer) = try answer(arrival)
                guard pending.removeValue(forKey: request) != nil else { throw .lateAnswer }
                outcomes.append((request, .answer(answer)))
            } catch { counts.note(error) }
        }
        return outcomes
    }

    /// Whoever was asked may have gone: questions under way are asked again.
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

    /// Where an ask goes; nil while its desk has not dialled in.
    private func peer(of ask: Pending) -> [UInt8]? {
        guard let callees else { return [] }
        return callees.peer(of: ask.callee)
    }

    private func answer(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) -> (UInt64, Response) {
        let message = arrival.message
        guard message.kind == .answered else { throw .misplacedMessage }
        // Nobody answers what another one was asked.
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
    /// Asks and waits, for tools that do nothing else meanwhile: outcomes of other asks are thrown away.
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
