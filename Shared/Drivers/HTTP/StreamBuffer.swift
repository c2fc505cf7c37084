import Synchronization

/// The bytes between a stream's sender and its client.
final class StreamBuffer: Sendable {
    private enum Phase {
        case open, closing
        /// The client has disconnected.
        case abandoned
        case over
    }

    private struct State {
        var phase = Phase.open
        var pending: [UInt8]
        /// How many bytes of `pending` were sent.
        var sent = 0
        var connection: ConnectionHandle?
        var isSuspended = false
        var endings: [@Sendable () -> Void] = []
        /// Called when no bytes are pending.
        var drains: [@Sendable () -> Void] = []

        mutating func takeDrains() -> [@Sendable () -> Void] {
            let taken = drains
            drains = []
            return taken
        }

        mutating func wake() {
            guard isSuspended, let connection else { return }
            isSuspended = false
            connection.resume()
        }
    }

    private let state: Mutex<State>

    init(first bytes: [UInt8]) { state = Mutex(State(pending: bytes)) }

    var isOpen: Bool { state.withLock { $0.phase == .open } }

    func append(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.phase == .open, state.pending.count - state.sent + bytes.count <= TransferLimits.streamBytes
            else {
                return false
            }
            state.pending.append(contentsOf: bytes)
            state.wake()
            return true
        }
    }

    func close() {
        state.withLock { state in
            guard state.phase == .open else { return }
            state.phase = .closing
            state.wake()
        }
    }

    /// Drops unsent bytes after the client disconnected, and resumes the connection so that it ends.
    func abandon() {
        state.withLock { state in
            guard state.phase == .open || state.phase == .closing else { return }
            state.phase = .abandoned
            state.wake()
        }
    }

    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.phase != .over { state.endings.append(body) }
            return state.phase == .over
        }
        if isOver { body() }
    }

    func whenSent(_ body: @escaping @Sendable () -> Void) {
        let isSent = state.withLock { state in
            let isSent = state.phase == .over || state.phase == .abandoned || state.sent == state.pending.count
            if !isSent { state.drains.append(body) }
            return isSent
        }
        if isSent { body() }
    }

    /// Called when libmicrohttpd releases the body and reads no more.
    func end() {
        let endings = state.withLock { state in
            state.phase = .over
            state.pending = []
            state.sent = 0
            state.connection = nil
            let endings = state.endings + state.takeDrains()
            state.endings = []
            return endings
        }
        for ending in endings { ending() }
    }

    /// Sets the connection that sends this body, before the first read.
    func attach(to connection: OpaquePointer) {
        let handle = unsafe ConnectionHandle(connection)
        state.withLock { $0.connection = handle }
    }

    /// Fills libmicrohttpd's buffer; returns 0 and suspends the connection if there are no bytes.
    ///
    /// Called on the connection's thread, as its content reader.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        nonisolated(unsafe) let target = unsafe target
        var drains: [@Sendable () -> Void] = []
        let count = state.withLock { state in
            if state.phase == .abandoned || state.phase == .over { return -2 }
            let available = state.pending.count - state.sent
            guard available > 0 else {
                if state.phase == .closing { return -1 }
                guard let connection = state.connection else { return -2 }
                connection.suspend()
                state.isSuspended = true
                return 0
            }
            let count = unsafe min(available, target.count)
            unsafe target.copyBytes(from: state.pending[state.sent..<state.sent + count])
            state.sent += count
            if state.sent == state.pending.count {
                drains = state.takeDrains()
                state.pending.removeAll(keepingCapacity: state.pending.count <= TransferLimits.streamBlockBytes)
                state.sent = 0
            } else if state.sent >= TransferLimits.streamBytes {
                state.pending.removeFirst(state.sent)
                state.sent = 0
            }
            return count
        }
        for drain in drains { drain() }
        return count
    }
}
