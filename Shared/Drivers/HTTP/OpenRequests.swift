import CMicroHTTPD
import Glibc
import Synchronization

/// The pending requests and open streams, so that a server can stop without leaving a client without a response.
final class OpenRequests: Sendable {
    private struct State {
        var isClosed = false
        var turns: [ObjectIdentifier: PendingResponse] = [:]
        var streams: [ObjectIdentifier: StreamBuffer] = [:]
        var active = 0
    }

    private let state = Mutex(State())
    /// An eventfd, written when the server is stopping and no request is open any more.
    private let quiet: Int32

    init() { quiet = bell_shim_make() }

    deinit { Glibc.close(quiet) }

    /// Adds a pending response; returns false if the server is stopping.
    func add(_ turn: PendingResponse) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.turns[ObjectIdentifier(turn)] = turn }
            return !state.isClosed
        }
    }

    func remove(_ turn: PendingResponse) { state.withLock { _ = $0.turns.removeValue(forKey: ObjectIdentifier(turn)) } }

    /// Adds a stream; returns false if the server is stopping.
    func add(_ stream: StreamBuffer) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.streams[ObjectIdentifier(stream)] = stream }
            return !state.isClosed
        }
    }

    func remove(_ stream: StreamBuffer) {
        state.withLock { _ = $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func begin() { state.withLock { $0.active += 1 } }

    func finish() {
        state.withLock { state in
            state.active -= 1
            if state.isClosed && state.active == 0 { bell_shim_ring(quiet) }
        }
    }

    /// Answers 503 to pending requests and ends streams.
    func close() {
        let (turns, streams) = state.withLock { state in
            state.isClosed = true
            if state.active == 0 { bell_shim_ring(quiet) }
            return (Array(state.turns.values), Array(state.streams.values))
        }
        for turn in turns { turn.overrule(503, "the server is stopping") }
        for stream in streams { stream.close() }
    }

    /// Waits until no request is open, for at most `milliseconds`.
    func waitUntilQuiet(milliseconds: Int) { bell_shim_wait(quiet, Int32(milliseconds)) }
}
