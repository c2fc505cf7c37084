public import EventSourcing
import JSON
public import Vocabulary

/// A request that a server received: a command or a query.
///
/// A class because it is passed between several lists until the response is sent, and has many members.
public final class IncomingRequest: Sendable {
    /// The routing id of the client's connection, valid only for the server that received it.
    public let peer: [UInt8]
    /// The number of the request within its connection; a repeated request has the same number.
    public let request: UInt64
    /// The name of the command or query.
    public let verb: String
    /// The body as JSON, at most `BusLimits.bodyBytes`.
    public let body: [UInt8]
    /// The person or service on whose behalf the request is made.
    public let actor: Actor
    /// The caller's idempotency key; nil for queries.
    public let key: String?
    /// 16 random bytes chosen by the client; a repeated request carries the same bytes.
    public let entropy: [UInt8]
    /// The W3C trace context of the request, if it has one.
    public let trace: TraceParent?
    /// Entity tags of the responses that the client has cached.
    public let known: [String]
    /// How long the client still waits, in milliseconds.
    public let deadlineMilliseconds: Int
    /// The authenticated name of the client's process; nil on connections without authentication.
    public let user: String?

    /// Creates a request; servers do this for each message that they receive.
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

/// The header of a request.
private struct RequestHeader {
    let verb: String
    let actor: Actor
    let key: String?
    let entropy: [UInt8]
    let trace: TraceParent?
    let known: [String]
    /// The remaining time in milliseconds.
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
            (0...Int(BusLimits.requestSeconds * 1000)).contains(deadline),
            let entropy, entropy.count == BusLimits.entropyBytes, known.count <= BusLimits.knownTags
        else { throw json.error("expected an ask") }
        self.entropy = entropy
    }
}
