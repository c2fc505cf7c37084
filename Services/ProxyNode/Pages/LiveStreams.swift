import HTTP
import System

/// The live streams of the visitors of one farm.
struct LiveStreams {
    private let source: FarmStream
    private var open: [HTTPStream] = []
    private var nextComment: Int64 = 0
    /// Whether the farm has announced a change of which visitors are not notified yet.
    private(set) var hasChange = false

    init(source: FarmStream) { self.source = source }

    /// Opens a stream for a visitor, or answers 503 if there are too many.
    mutating func add(_ exchange: HTTPExchange) {
        guard open.count < NodeLimits.streams else {
            exchange.respond(NodeResponses.problem(503, "busy", "Too many live streams are open at this node."))
            return
        }
        var head = HTTPResponse(status: 200, type: "text/event-stream")
        head.headers["Cache-Control"] = "no-store"
        guard !exchange.request.isHead else {
            exchange.respond(head)
            return
        }
        if open.isEmpty { source.want(true) }
        open.append(exchange.stream(NodeResponses.withSource(head, "furrow-node; detail=node")))
    }

    mutating func noteChange() { hasChange = true }

    /// Notifies all visitors of a change.
    mutating func publish() {
        hasChange = false
        send("event: changed\ndata: {}\n\n")
    }

    /// Sends a comment that keeps the streams open, and forgets those that were closed.
    mutating func tidy(at now: Int64) {
        guard !open.isEmpty, now >= nextComment else { return }
        nextComment = now + NodeLimits.keepAliveMicroseconds
        send(": here\n\n")
    }

    /// Sends to all streams, and closes those that do not read. Without any the farm's stream ends, too.
    private mutating func send(_ text: String) {
        let bytes = Array(text.utf8)
        open.removeAll { !$0.send(bytes) }
        if open.isEmpty { source.want(false) }
    }
}
