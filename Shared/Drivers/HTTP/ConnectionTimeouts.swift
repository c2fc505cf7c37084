import CMicroHTTPD
import Glibc
import Synchronization

/// A thread that closes connections past their deadline and detects when a stream's client disconnects.
///
/// libmicrohttpd measures silence, not progress, and does not look at suspended connections.
final class ConnectionTimeouts: Sendable {
    private struct State {
        var peers: [UInt64: Peer] = [:]
        var isClosing = false
        var isStopped = false
        var thread: pthread_t?
    }

    /// The event id of the wake-up eventfd; peers count from 1.
    private static let bellID: UInt64 = 0

    private let state = Mutex(State())
    private let events: Int32
    /// An eventfd that wakes the thread.
    private let bell: Int32
    /// An eventfd, written when the last connection of a closing server is gone.
    private let gone: Int32
    private let tally: ServerCounters

    init(tally: ServerCounters) throws(HTTPError) {
        self.tally = tally
        events = watch_shim_make()
        bell = bell_shim_make()
        gone = bell_shim_make()
        guard events >= 0, bell >= 0, gone >= 0, watch_shim_add_bell(events, bell, Self.bellID) == 0, start() else {
            throw HTTPError(.exhausted, "no thread or descriptor to watch connections with")
        }
    }

    deinit {
        close(events)
        close(bell)
        close(gone)
    }

    private func start() -> Bool {
        // The thread holds a reference until it ends, and `stop` waits for that.
        let held = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failed = unsafe pthread_create(
            &thread, nil,
            { pointer in
                if let pointer = unsafe pointer {
                    unsafe Unmanaged<ConnectionTimeouts>.fromOpaque(pointer).takeRetainedValue().run()
                }
                return nil
            }, held.toOpaque())
        guard failed == 0 else {
            unsafe held.release()
            return false
        }
        let started = thread
        state.withLock { $0.thread = started }
        return true
    }

    /// Ends the thread and waits for it.
    func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            let thread = state.thread
            state.thread = nil
            return thread
        }
        bell_shim_ring(bell)
        if let thread { pthread_join(thread, nil) }
    }

    func add(_ peer: Peer) {
        let isFirst = state.withLock { state in
            state.peers[peer.id] = peer
            if state.isClosing { shutdown(peer.socket, Int32(SHUT_RDWR)) }
            return state.peers.count == 1
        }
        if isFirst { bell_shim_ring(bell) }
    }

    /// Removes a peer; its socket is not used here afterwards.
    func remove(_ peer: Peer) {
        state.withLock { state in
            state.peers[peer.id] = nil
            if state.isClosing && state.peers.isEmpty { bell_shim_ring(gone) }
        }
    }

    /// Closes all connections, also new ones, and waits until they are gone, for at most `milliseconds`.
    func closeAll(milliseconds: Int) {
        state.withLock { state in
            state.isClosing = true
            for peer in state.peers.values { shutdown(peer.socket, Int32(SHUT_RDWR)) }
            if state.peers.isEmpty { bell_shim_ring(gone) }
        }
        bell_shim_wait(gone, Int32(milliseconds))
    }

    /// Starts to watch the peer's socket, so that its stream ends when the client disconnects.
    func beginStream(_ peer: Peer) {
        _ = watch_shim_add_hangup(events, peer.socket, peer.id)
    }

    func endStream(_ peer: Peer) { _ = watch_shim_remove(events, peer.socket) }

    private func run() {
        var ids = [UInt64](repeating: 0, count: Int(WATCH_SHIM_BATCH))
        var looked = Peer.now()
        while true {
            let (isStopped, isIdle) = state.withLock { ($0.isStopped, $0.peers.isEmpty) }
            if isStopped { return }
            let count = unsafe watch_shim_wait(events, &ids, isIdle ? -1 : 1_000)
            for index in 0..<max(0, Int(count)) { take(ids[index]) }
            let now = Peer.now()
            if now != looked {
                looked = now
                closeLate(at: now)
            }
        }
    }

    private func take(_ id: UInt64) {
        guard id != Self.bellID else {
            bell_shim_hush(bell)
            return
        }
        state.withLock { $0.peers[id] }?.streamBuffer?.abandon()
    }

    private func closeLate(at second: Int) {
        var turns: [PendingResponse] = []
        let closed = state.withLock { state in
            var closed = 0
            for peer in state.peers.values where peer.isLate(at: second) {
                peer.expect(within: nil)
                if let turn = peer.waitingTurn {
                    turns.append(turn)
                } else {
                    shutdown(peer.socket, Int32(SHUT_RDWR))
                    closed += 1
                }
            }
            return closed
        }
        tally.connectionsTimedOut.add(closed, ordering: .relaxed)
        for turn in turns { turn.overrule(504, "The request took too long.") }
    }
}
