public import EventSourcing
import JSON
import Wire
public import ZeroMQ

/// Receives the requests to a service. Owned by its event loop, which polls `socket`.
///
/// It stores nothing: a client that misses a response repeats its request, and a command receives its stored response.
///
/// It may also dial one client and send its own name there; requests on that connection are received like others. The
/// last responses are still sent when the server and its context are closed.
///
/// ```
/// let server = try RequestServer(endpoint: "ipc:///run/furrow/ledger.ask", context: context)
/// for request in try server.receive(limit: 1024) { try server.answer(request, respond(to: request)) }
/// ```
public final class RequestServer {
    private let line: MessageSocket
    private var call: DialledClient?
    /// The anomalies since the start.
    public private(set) var counts = BusCounts()

    /// Binds a numeric TCP address or an ipc path.
    public init(endpoint: String, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try MessageSocket(
            binding: endpoint, in: context, queue: BusLimits.requestQueue, curve: curve, linger: BusLimits.serverLinger)
    }

    /// The socket to poll.
    public var socket: Socket { line.socket }

    /// Dials a client that binds an endpoint for servers (`RequestClient.init(binding:)`). Returns the socket to poll.
    ///
    /// - Parameters:
    ///   - endpoint: address of the client; nil while it is unknown (see `recall`).
    ///   - name: name of this server for that client, such as `sensor-ingest/farm-1`.
    ///   - host: name of the client, as `curve` proves; its requests carry it as the user.
    public func call(
        _ endpoint: String?, as name: String, to host: String?, context: Context, curve: Curve? = nil
    ) throws(BusError) -> Socket {
        let line = try MessageSocket(
            dialling: endpoint, in: context, queue: BusLimits.requestQueue, curve: curve, host: host,
            linger: BusLimits.serverLinger)
        call = DialledClient(line: line, hello: CallHeader(name: name).header)
        return line.socket
    }

    /// Dials another address of the client that this server calls.
    public func recall(_ endpoint: String) throws(BusError) {
        try call?.line.redial(endpoint)
        call?.greetsAt = .min
    }

    /// Sends this server's name to the client that it dialled, a few times a second, because the client may have
    /// restarted.
    public func greet(at monotonicMicroseconds: Int64) throws(BusError) {
        guard let due = call, due.greetsAt <= monotonicMicroseconds else { return }
        call?.greetsAt = monotonicMicroseconds + BusTiming.calling
        _ = try due.line.send(Message(.hello, header: due.hello))
    }

    /// Returns at most `limit` requests, in the order of each client; empty if there are none.
    ///
    /// Malformed messages are dropped and counted. A poller does not report all messages, so call it again until it
    /// returns none.
    public func receive(limit: Int) throws(BusError) -> [IncomingRequest] {
        var asks: [IncomingRequest] = []
        var budget = limit
        while let arrival = try line.receive(&budget, counting: &counts) {
            do throws(BusAnomaly) { asks.append(try IncomingRequest(arrival)) } catch { counts.note(error) }
        }
        guard let called = call?.line else { return asks }
        while let arrival = try called.receive(&budget, counting: &counts) {
            do throws(BusAnomaly) { asks.append(try IncomingRequest(arrival)) } catch { counts.note(error) }
        }
        return asks
    }

    /// Sends a response to a request. If the client is gone, the response is dropped and counted.
    ///
    /// - Throws: `outOfBounds` if the response exceeds the message limit; the client then receives an error response.
    public func answer(_ ask: IncomingRequest, _ answer: Response) throws(BusError) {
        do {
            try BusError.check("answer", answer.body.count, in: 0...BusLimits.bodyBytes)
        } catch {
            try send(Self.tooLarge.answer, to: ask)
            throw error
        }
        try send(answer, to: ask)
    }

    private static let tooLarge = Problem(
        500, "answer-too-large",
        "The answer is larger than the \(BusLimits.bodyBytes) bytes that one answer may have; ask for less at once.")

    private func send(_ answer: Response, to ask: IncomingRequest) throws(BusError) {
        let header = FeedHeader.write { json in
            json.field("status", answer.status)
            json.field("tag", ifPresent: answer.tag)
        }
        let message = Message(.answered, request: ask.request, header: header, payload: answer.body)
        // Only clients that dialled in have a routing id.
        let way = ask.peer.isEmpty ? call?.line ?? line : line
        guard try way.send(message, to: ask.peer) else { return counts.note(.undelivered) }
    }

    /// The connection to a client that this server dialled.
    private struct DialledClient {
        var line: MessageSocket
        let hello: [UInt8]
        var greetsAt: Int64 = .min
    }
}
