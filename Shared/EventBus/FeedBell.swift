import EventSourcing
import Synchronization
import ZeroMQ

/// What other threads tell a feed server's thread: new heads, and that it should go.
///
/// Heads of the same feed overwrite each other, so that a writer that commits all the time costs no more than one that
/// commits as often as the thread looks.
final class FeedBell: Sendable {
    private struct Cord {
        /// Used under the lock only, which is the fence that libzmq asks for when a socket changes threads.
        var socket: Socket
        var heads: [String: Head] = [:]
        var isStopping = false

        /// The first pull wakes the thread; it finds the others when it looks.
        mutating func pull(first: Bool) throws(ZeroMQError) {
            if first { try socket.send([[]]) }
        }
    }

    private let cord: Mutex<Cord>

    /// Dials the thread's own socket, which is bound already.
    init(endpoint: String, context: Context) throws(ZeroMQError) {
        let socket = try Socket(.pair, in: context)
        try socket.connect(endpoint)
        cord = Mutex(Cord(socket: socket))
    }

    func ring(_ head: Head) throws(ZeroMQError) {
        try cord.withLock { cord throws(ZeroMQError) in
            let isFirst = cord.heads.isEmpty && !cord.isStopping
            cord.heads[head.feed] = head
            try cord.pull(first: isFirst)
        }
    }

    func stop() throws(ZeroMQError) {
        try cord.withLock { cord throws(ZeroMQError) in
            let isFirst = cord.heads.isEmpty && !cord.isStopping
            cord.isStopping = true
            try cord.pull(first: isFirst)
        }
    }

    /// What was told since the last look.
    func look() -> (heads: [Head], isStopping: Bool) {
        cord.withLock { cord in
            let heads = Array(cord.heads.values)
            cord.heads = [:]
            return (heads, cord.isStopping)
        }
    }
}
