public import EventSourcing
import JSON
import Wire
public import ZeroMQ

/// Where a service is asked; owned by its main loop, which polls `socket`.
///
/// It remembers nothing: an asker that misses an answer asks again, and finds the answer its command was given.
///
/// Besides, it may dial one asker and say there who it is; what is asked over that line is asked like anything else.
/// What it answered last still leaves when it goes and its context ends.
public final class RequestServer {
    private let line: MessageSocket
    private var call: DialledClient?
    public private(set) var counts = BusCounts()

    /// Listens at a numeric TCP address or an ipc path.
    public init(endpoint: String, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try MessageSocket(
            binding: endpoint, in: context, queue: BusLimits.askQueue, curve: curve, linger: BusLimits.deskLinger)
    }

    public var socket: Socket { line.socket }

    /// Dials somebody who asks over connections that others make (`RequestClient.init(binding:)`).
    ///
    /// - Parameters:
    ///   - endpoint: where it listens; nil while its address is not known (see `recall`).
    ///   - name: who this desk is for that asker: `sensor-ingest/farm-1`.
    ///   - host: who that asker is, as `curve` proves; its asks come under this name.
    public func call(
        _ endpoint: String?, as name: String, to host: String?, context: Context, curve: Curve? = nil
    ) throws(BusError) -> Socket {
        let line = try MessageSocket(
            dialling: endpoint, in: context, queue: BusLimits.askQueue, curve: curve, host: host,
            linger: BusLimits.deskLinger)
        call = DialledClient(line: line, hello: CallHeader(name: name).header)
        return line.socket
    }

    /// The asker that is called has another address.
    public func recall(_ endpoint: String) throws(BusError) {
        try call?.line.redial(endpoint)
        call?.greetsAt = .min
    }

    /// Says who this is to whom it calls, a few times a second: whoever was started anew does not know.
    public func greet(at monotonicMicroseconds: Int64) throws(BusError) {
        guard let due = call, due.greetsAt <= monotonicMicroseconds else { return }
        call?.greetsAt = monotonicMicroseconds + BusTiming.calling
        _ = try due.line.send(Message(.hello, header: due.hello))
    }

    /// At most `limit` asks, in the order they came in for each asker; empty when none is there.
    ///
    /// What is no ask is dropped and counted. There may be more to come than a poller tells: call again until it is
    /// empty.
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

    /// Gives an answer to whoever asked; if it is gone, the answer is dropped and counted.
    ///
    /// - Throws: `outOfBounds` for an answer that no message holds; whoever asked was told so in its place.
    public func answer(_ ask: IncomingRequest, _ answer: Response) throws(BusError) {
        do {
            try BusError.check("answer", answer.body.count, in: 0...BusLimits.bodyBytes)
        } catch {
            try say(Self.tooLarge.answer, to: ask)
            throw error
        }
        try say(answer, to: ask)
    }

    private static let tooLarge = Problem(
        500, "answer-too-large",
        "The answer is larger than the \(BusLimits.bodyBytes) bytes that one answer may have; ask for less at once.")

    private func say(_ answer: Response, to ask: IncomingRequest) throws(BusError) {
        let header = FeedHeader.write { json in
            json.field("status", answer.status)
            json.field("tag", ifPresent: answer.tag)
        }
        let message = Message(.answered, request: ask.request, header: header, payload: answer.body)
        // Only who dialled in has a routing id here.
        let way = ask.peer.isEmpty ? call?.line ?? line : line
        guard try way.send(message, to: ask.peer) else { return counts.note(.undelivered) }
    }

    /// The line to an asker that is dialled.
    private struct DialledClient {
        var line: MessageSocket
        let hello: [UInt8]
        var greetsAt: Int64 = .min
    }
}
