import Synchronization

/// The answer to one request: made on any thread, taken on the connection's own.
///
/// Whoever comes second wakes the connection: the answer finds it asleep, or it finds the answer.
final class Turn: Sendable {
    enum Answer: Sendable {
        case whole(HTTPResponse)
        case streamed(HTTPResponse, StreamBuffer)
    }

    private enum Phase {
        case waiting
        case answered(Answer)
        case taken
    }

    private struct State {
        var phase = Phase.waiting
        /// The connection, while it sleeps.
        var sleeper: ConnectionHandle?
    }

    private let state = Mutex(State())
    private let roster: Roster
    private let tally: Tally

    init(roster: Roster, tally: Tally) {
        self.roster = roster
        self.tally = tally
    }

    /// Gives the answer and wakes the connection; false, and counted, when there is one already.
    @discardableResult
    func settle(_ answer: Answer) -> Bool {
        let isFirst = offer(answer)
        if !isFirst { tally.answersIgnored.add(1, ordering: .relaxed) }
        return isFirst
    }

    /// The exchange is gone: 500 unless there is an answer.
    func abandon() {
        if offer(.whole(.problem(500, "The request was not answered."))) {
            tally.exchangesDropped.add(1, ordering: .relaxed)
        }
    }

    /// The server gives the answer itself, unless there is one.
    func overrule(_ status: Int, _ detail: String) { _ = offer(.whole(.problem(status, detail))) }

    private func offer(_ answer: Answer) -> Bool {
        state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .answered(answer)
            state.sleeper?.resume()
            state.sleeper = nil
            return true
        }
    }

    /// The answer, once; nil when there is none yet, and then the connection sleeps until there is.
    ///
    /// Called on the connection's thread, inside its access handler.
    func takeOrSuspend(_ connection: ConnectionHandle, whileWaiting peer: Peer) -> Answer? {
        if let answer = take() { return answer }
        peer.wait(for: self)
        if !roster.add(self) { overrule(503, "The server is stopping.") }
        if let answer = take(orSuspend: connection) {
            roster.remove(self)
            return answer
        }
        return nil
    }

    private func take() -> Answer? {
        state.withLock { state in
            guard case .answered(let answer) = state.phase else { return nil }
            state.phase = .taken
            return answer
        }
    }

    private func take(orSuspend connection: ConnectionHandle) -> Answer? {
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
