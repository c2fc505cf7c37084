public import EventSourcing
import JSON
public import Vocabulary

/// A question that came in at a desk: a command of somebody, or a query.
///
/// A class, though it never changes: it is handed on from list to list until it is answered, and has many members.
public final class IncomingRequest: Sendable {
    /// The asker's connection, of use only to the desk it came in at.
    public let peer: [UInt8]
    /// Names the ask within its connection; a repeated ask has the same.
    public let request: UInt64
    public let verb: String
    /// JSON, at most `BusLimits.bodyBytes`.
    public let body: [UInt8]
    public let actor: Actor
    /// The caller's idempotency key; nil for queries.
    public let key: String?
    /// 16 random bytes chosen by the asker, the same when it asks again.
    public let entropy: [UInt8]
    /// Which request of a tracing system it belongs to.
    public let trace: TraceParent?
    /// Tags of answers that the asker has already.
    public let known: [String]
    /// How long the asker still waits.
    public let deadlineMilliseconds: Int
    /// Which process asks, as the doorkeeper knows it; nil on connections nobody vouched for.
    public let user: String?

    public init(
        peer: [UInt8], request: UInt64, verb: String, body: [UInt8], actor: Actor, key: String?, entropy: [UInt8],
        trace: TraceParent? = nil, known: [String] = [], deadlineMilliseconds: Int, user: String?
    ) {
        self.peer = peer
        self.request = request
        self.verb = verb
        self.body = body
        self.actor = actor
        self.key = key
        self.entropy = entropy
        self.trace = trace
        self.known = known
        self.deadlineMilliseconds = deadlineMilliseconds
        self.user = user
    }

    convenience init(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) {
        let message = arrival.message
        guard message.kind == .asked else { throw .misplacedMessage }
        let header = try FeedHeader.parse(message.header) { json throws(JSONError) in try RequestHeader(json) }
        self.init(
            peer: arrival.peer, request: message.request, verb: header.verb, body: message.payload,
            actor: header.actor, key: header.key, entropy: header.entropy, trace: header.trace, known: header.known,
            deadlineMilliseconds: header.deadline, user: arrival.user)
    }
}

/// The header of an `asked`.
private struct RequestHeader {
    let verb: String
    let actor: Actor
    let key: String?
    let entropy: [UInt8]
    let trace: TraceParent?
    let known: [String]
    /// Milliseconds.
    let deadline: Int

    init(_ json: JSONValue) throws(JSONError) {
        var members = try JSONMembers(of: json)
        verb = try members.get("verb")
        actor = try members.get("actor")
        key = try members.find("key")
        let entropy = Hex.decode(try members.get("entropy"))
        trace = try members.find("trace")
        known = try members.find("known") ?? []
        deadline = try members.get("deadline")
        guard (1...BusLimits.verbBytes).contains(verb.utf8.count),
            key.map({ (1...BusLimits.keyBytes).contains($0.utf8.count) }) ?? true,
            (0...Int(BusLimits.askSeconds * 1000)).contains(deadline),
            let entropy, entropy.count == BusLimits.entropyBytes, known.count <= BusLimits.knownTags
        else { throw json.error("expected an ask") }
        self.entropy = entropy
    }
}
