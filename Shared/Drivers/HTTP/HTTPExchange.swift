/// One request and its response, which any thread may give, now or later.
///
/// An exchange released without a response answers 500, so that no client waits in vain.
public final class HTTPExchange: Sendable {
    /// The request.
    public let request: HTTPRequest
    private let turn: PendingResponse

    init(request: HTTPRequest, turn: PendingResponse) {
        self.request = request
        self.turn = turn
    }

    deinit { turn.abandon() }

    /// Sends the response; a second one is ignored and counted.
    public func respond(_ response: HTTPResponse) { turn.settle(.whole(response)) }

    /// Sends a head now and a body in pieces later; the body of `head` is the first piece.
    ///
    /// If the exchange already has a response, the returned stream is closed.
    public func stream(_ head: HTTPResponse) -> HTTPStream {
        let buffer = StreamBuffer(first: head.body)
        if !turn.settle(.streamed(head, buffer)) { buffer.end() }
        return HTTPStream(buffer)
    }
}
