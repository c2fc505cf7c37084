import Synchronization

/// The response to one request: given on any thread, taken on the connection's own.
///
/// If the response arrives while the connection is suspended, it resumes the connection.
final class PendingResponse: Sendable {
    enum Content: Sendable {
        case whole(HTTPResponse)
        case streamed(HTTPResponse, StreamBuffer)
    }

    private enum Phase {
        case waiting
        case answered(Content)
        case taken
    }

    private struct State {
        var phase = Phase.waiting
        /// The connection, while it is suspended.
        var sleeper: ConnectionHandle?
    }

    private let state = Mutex(State())
    private let openRequests: OpenRequests
    private let tally: ServerCounters

    init(openRequests: OpenRequests, tally: ServerCounters) {
        self.openRequests = openRequests
        self.tally = tally
    }

    /// Gives the response and resumes the connection; returns false, and counts it, if there is one already.
    @discardableResult
    func settle(_ answer: Content) -> Bool {
        let isFirst = offer(answer)
        if !isFirst { tally.answersIgnored.add(1, ordering: .relaxed) }
        return isFirst
    }

    /// Called when the exchange is released: gives a 500 unless there is a response.
    func abandon() {
        if offer(.whole(.problem(500, "The request was not answered."))) {
            tally.exchangesDropped.add(1, ordering: .relaxed)
        }
    }

    /// Gives a response of the server itself, unless there is one.
    func overrule(_ status: Int, _ detail: String) { _ = offer(.whole(.problem(status, detail))) }

    private func offer(_ answer: Content) -> Bool {
        state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .answered(answer)
            state.sleeper?.resume()
            state.sleeper = nil
            return true
        }
    }

    /// Returns the response, once; if there is none yet, suspends the connection and returns nil.
    ///
    /// Called on the connection's thread, inside its access handler.
    func takeOrSuspend(_ connection: ConnectionHandle, whileWaiting peer: Peer) -> Content? {
        if let answer = take() { return answer }
        peer.wait(for: self)
        if !openRequests.add(self) { overrule(503, "The server is stopping.") }
        if let answer = take(orSuspend: connection) {
            openRequests.remove(self)
            return answer
        }
        return nil
    }

    private func take() -> Content? {
        state.withLock { state in
            guard case .answered(let answer) = state.phase else { return nil }
            state.phase = .taken
            return answer
        }
    }

    private func take(orSuspend connection: ConnectionHandle) -> Content? {
        state.withLock { state in
            if case .answered(let answer) = state.phase {
                state.phase = .taken
                return answer
            }
            connection.suspend()
            state.sleeper = connection
            return nil
        }
    }
}
