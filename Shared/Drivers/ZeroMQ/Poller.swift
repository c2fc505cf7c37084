import CZeroMQ

/// Waits until one of several sockets and file descriptors is readable.
///
/// A slot identifies an added item until it is removed; then its number is reused. The poller holds references to its
/// sockets, but does not own descriptors: remove one before closing it.
///
/// ```
/// var poller = Poller()
/// let requests = poller.add(socket)
/// let ready = try poller.wait(milliseconds: 1_000)
/// if ready.contains(requests) { while let frames = try socket.receive() { handle(frames) } }
/// ```
@safe public struct Poller {
    private var items: [zmq_pollitem_t] = unsafe []
    private var sockets: [Socket?] = []
    private var free: [Int] = []

    /// Creates a poller without items.
    public init() {}

    /// Adds a socket; returns its slot.
    public mutating func add(_ socket: Socket) -> Int {
        unsafe put(zmq_pollitem_t(socket: socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0), socket)
    }

    /// Adds a descriptor; returns its slot, which is also ready when the other end is closed.
    public mutating func add(descriptor: Int32) -> Int {
        unsafe put(zmq_pollitem_t(socket: nil, fd: descriptor, events: Int16(ZMQ_POLLIN), revents: 0), nil)
    }

    /// Removes a slot; does nothing if it is not in use.
    public mutating func remove(_ slot: Int) {
        guard sockets.indices.contains(slot), !free.contains(slot) else { return }
        unsafe items[slot] = Self.nothing
        sockets[slot] = nil
        free.append(slot)
    }

    /// Returns the readable slots in ascending order, none after the timeout or a signal.
    ///
    /// -1 waits without a timeout and 0 does not wait. Throws EINVAL for -1 with no slots.
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

    /// poll(2) ignores a negative descriptor, so the other slots need not move when one is removed.
    private static var nothing: zmq_pollitem_t {
        unsafe zmq_pollitem_t(socket: nil, fd: -1, events: 0, revents: 0)
    }
}
