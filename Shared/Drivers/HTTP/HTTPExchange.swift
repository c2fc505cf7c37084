/// One request and the one answer it gets, from any thread, now or later.
///
/// An exchange that is let go without an answer answers 500, so no client waits in vain.
public final class HTTPExchange: Sendable {
    public let request: HTTPRequest
    private let turn: PendingResponse

    init(request: HTTPRequest, turn: PendingResponse) {
        self.request = request
        self.turn = turn
    }

    deinit { turn.abandon() }

    /// Answers; a second answer is ignored and counted.
    public func respond(_ response: HTTPResponse) { turn.settle(.whole(response)) }

    /// Answers with a head now and a body that comes bit by bit; the body of `head` is its first bit.
    ///
    /// Where there was an answer already the stream is closed from the start.
    public func stream(_ head: HTTPResponse) -> HTTPStream {
        let buffer = StreamBuffer(first: head.body)
        if !turn.settle(.streamed(head, buffer)) { buffer.end() }
        return HTTPStream(buffer)
    }
}
