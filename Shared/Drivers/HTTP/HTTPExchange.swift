/// One request and its response, which any thread may give, now or later.
///
/// An exchange released without a response answers 500, so that no client waits in vain.
public final class HTTPExchange: Sendable {
    /// The request.
    public let request: HTTPRequest
    private let carrier: Carrier

    /// What sends the response: the connection, or another exchange that carries this one inside it.
    private enum Carrier: Sendable {
        case connection(PendingResponse)
        case exchange(HTTPExchange, wrap: @Sendable (HTTPResponse) -> HTTPResponse)
    }

    init(request: HTTPRequest, turn: PendingResponse) {
        self.request = request
        carrier = .connection(turn)
    }

    /// Creates the exchange of a request that another one carries inside it, such as an encrypted one.
    ///
    /// - Parameter wrap: returns the response of the outer exchange for a response of this one.
    public init(
        _ request: HTTPRequest, inside outer: HTTPExchange, wrap: @escaping @Sendable (HTTPResponse) -> HTTPResponse
    ) {
        self.request = request
        carrier = .exchange(outer, wrap: wrap)
    }

    deinit {
        // The outer exchange is released with this one, and answers by itself.
        if case .connection(let turn) = carrier { turn.abandon() }
    }

    /// Sends the response; a second one is ignored and counted.
    public func respond(_ response: HTTPResponse) {
        switch carrier {
        case .connection(let turn): turn.settle(.whole(response))
        case .exchange(let outer, let wrap): outer.respond(wrap(response))
        }
    }

    /// Sends a head now and a body in pieces later; the body of `head` is the first piece.
    ///
    /// If the exchange already has a response, the returned stream is closed. A request that is carried inside another
    /// one gets 406: its response has to be whole.
    public func stream(_ head: HTTPResponse) -> HTTPStream {
        let buffer = StreamBuffer(first: head.body)
        switch carrier {
        case .connection(let turn): if !turn.settle(.streamed(head, buffer)) { buffer.end() }
        case .exchange:
            respond(.problem(406, "This response is a stream, which cannot be sent inside another response."))
            buffer.end()
        }
        return HTTPStream(buffer)
    }
}
