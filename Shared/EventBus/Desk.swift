public import EventSourcing
import JSON
public import ZeroMQ

/// Where a service is asked; owned by its main loop, which polls `socket`.
///
/// It remembers nothing: an asker that misses an answer asks again, and finds the answer its command was given.
public final class Desk {
    private let line: Line
    public private(set) var counts = BusCounts()

    /// Listens at a numeric TCP address or an ipc path.
    public init(endpoint: String, context: Context, curve: Curve? = nil) throws(BusError) {
        line = try Line(binding: endpoint, in: context, queue: BusLimits.askQueue, curve: curve)
    }

    public var socket: Socket { line.socket }

    /// At most `limit` asks, in the order they came in for each asker; empty when none is there.
    ///
    /// What is no ask is dropped and counted. There may be more to come than a poller tells: call again until it is
    /// empty.
    public func receive(limit: Int) throws(BusError) -> [DeskAsk] {
        var asks: [DeskAsk] = []
        var budget = limit
        while let arrival = try line.receive(&budget, counting: &counts) {
            do throws(BusTrouble) { asks.append(try DeskAsk(arrival)) } catch { counts.note(error) }
        }
        return asks
    }

    /// Gives an answer to whoever asked; if it is gone, the answer is dropped and counted.
    public func answer(_ ask: DeskAsk, _ answer: Answer) throws(BusError) {
        try BusError.check("answer", answer.body.count, in: 0...BusLimits.bodyBytes)
        let header = FeedHeader.write { json in json.field("status", answer.status) }
        let message = Message(.answered, request: ask.request, header: header, payload: answer.body)
        guard try line.send(message, to: ask.peer) else { return counts.note(.undelivered) }
    }
}
