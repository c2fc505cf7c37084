import CZeroMQ

/// Waits on sockets and plain file descriptors at once, for something to read.
///
/// A slot names what was added until it is removed; a removed slot is given out again. It holds the sockets it
/// watches, and not the descriptors: remove one before closing it.
@safe public struct Poller {
    private var items: [zmq_pollitem_t] = unsafe []
    private var sockets: [Socket?] = []
    private var free: [Int] = []

    public init() {}

    public mutating func add(_ socket: Socket) -> Int {
        unsafe put(zmq_pollitem_t(socket: socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0), socket)
    }

    /// Watches a descriptor; it is ready too when its other end has gone.
    public mutating func add(descriptor: Int32) -> Int {
        unsafe put(zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0), nil)
    }

    /// Forgets a slot; one that is not in use is left alone.
    public mutating func remove(_ slot: Int) {
        guard sockets.indices.contains(slot), !free.contains(slot) else { return }
        unsafe items[slot] = Self.nothing
        sockets[slot] = nil
        free.append(slot)
    }

    /// The slots that can be read, lowest first; -1 waits for ever, 0 not at all, and a signal gives none.
    ///
    /// Throws EINVAL for waiting for ever on nothing.
    public mutating func wait(milliseconds: Int) throws(ZeroMQError) -> [Int] {
        guard milliseconds >= 0 || free.count < sockets.count else {
            throw ZeroMQError(code: EINVAL, operation: "poll")
        }
        let count = unsafe zmq_poll(&items, Int32(clamping: sockets.count), milliseconds)
        if count < 0 {
            let code = zmq_errno()
            guard code == EINTR else { throw ZeroMQError(code: code, operation: "poll") }
            return []
        }
        guard count > 0 else { return [] }
        var ready: [Int] = []
        ready.reserveCapacity(Int(count))
        for slot in sockets.indices where unsafe items[slot].revents != 0 { ready.append(slot) }
        return ready
    }

    private mutating func put(_ item: zmq_pollitem_t, _ socket: Socket?) -> Int {
        if let slot = free.popLast() {
            unsafe items[slot] = item
            sockets[slot] = socket
            return slot
        }
        unsafe items.append(item)
        sockets.append(socket)
        return sockets.count - 1
    }

    /// poll(2) passes over a negative descriptor, so slots need not move when one goes.
    private static var nothing: zmq_pollitem_t {
        unsafe zmq_pollitem_t(socket: nil, fd: -1, events: 0, revents: 0)
    }
}
