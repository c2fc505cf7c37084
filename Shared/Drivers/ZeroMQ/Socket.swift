import CZeroMQ

/// One ZeroMQ socket, used by one thread; closed with its last reference.
///
/// No call blocks: wait with a `Poller`. A call that fails with `isShutdown` means that the context is ending.
///
/// ```
/// let socket = try Socket(.dealer, in: Context())
/// try socket.connect("tcp://127.0.0.1:5555")
/// try socket.send([Array("hello".utf8)])
/// ```
@safe public final class Socket {
    let handle: UnsafeMutableRawPointer
    let kind: SocketKind
    /// The buffer for incoming frames, at a fixed address: libzmq forbids moving a message.
    private let inbox: UnsafeMutablePointer<zmq_msg_t>
    /// Whether the socket uses CURVE, so that the ZAP authenticator gives each peer a user id.
    private let isVouched: Bool
    /// A reference, because libzmq's threads must outlive the socket.
    private let context: Context

    /// Creates a socket; throws for an option that libzmq rejects.
    public init(
        _ kind: SocketKind, in context: Context, options: SocketOptions = .init()
    ) throws(ZeroMQError) {
        guard let made = unsafe zmq_socket(context.handle, kind.number) else { throw ZeroMQError(last: "socket") }
        unsafe handle = made
        unsafe inbox = .allocate(capacity: 1)
        unsafe zmq_msg_init(inbox)
        self.kind = kind
        self.context = context
        isVouched = options.curve != nil
        try apply(options)
    }

    deinit {
        unsafe zmq_msg_close(inbox)
        unsafe inbox.deallocate()
        unsafe zmq_close(handle)
    }

    /// Listens at `tcp://127.0.0.1:5555`, `tcp://127.0.0.1:*` (see `lastEndpoint`), `ipc:///path` or `inproc://name`.
    ///
    /// The path of an `ipc` endpoint has at most 107 bytes. Binding silently takes it from another process that listens
    /// there. The file is not deleted when the socket closes.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        unsafe try meet("bind", endpoint, zmq_bind)
    }

    /// Connects to an endpoint and reconnects automatically; TCP requires a numeric address.
    ///
    /// Throws EINVAL for a host name: libzmq resolves it on its I/O thread, where an unresponsive name server stalls
    /// every socket of the context.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        guard Endpoint.isNumeric(endpoint) else {
            throw ZeroMQError(code: EINVAL, operation: "connect", message: "TCP endpoints take numeric addresses")
        }
        unsafe try meet("connect", endpoint, zmq_connect)
    }

    /// Stops listening at an endpoint.
    public func unbind(_ endpoint: String) throws(ZeroMQError) {
        unsafe try perform("unbind", endpoint, zmq_unbind)
    }

    /// Disconnects from an endpoint.
    public func disconnect(_ endpoint: String) throws(ZeroMQError) {
        unsafe try perform("disconnect", endpoint, zmq_disconnect)
    }

    /// The endpoint last bound or connected, with a wildcard port resolved; empty before.
    public var lastEndpoint: String {
        var bytes = [UInt8](repeating: 0, count: ZeroMQLimits.endpointBytes)
        var count = bytes.count
        guard unsafe zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &bytes, &count) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Subscribes to messages whose first frame starts with `prefix`; an empty prefix matches all. SUB only.
    public func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try set(ZMQ_SUBSCRIBE, bytes: prefix, "subscribe")
    }

    /// Reverts one `subscribe` with the same prefix. SUB only.
    public func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try set(ZMQ_UNSUBSCRIBE, bytes: prefix, "unsubscribe")
    }

    /// A descriptor that becomes readable when the socket's state may have changed, to poll many sockets at once.
    ///
    /// It is edge-triggered: any call on the socket (`send`, `isWritable`) may consume the signal. Before waiting, call
    /// `receive` until it returns nil.
    public var descriptor: Int32 {
        var descriptor: Int32 = -1
        var size = MemoryLayout<Int32>.size
        _ = unsafe zmq_getsockopt(handle, ZMQ_FD, &descriptor, &size)
        return descriptor
    }

    /// Returns whether a message could be queued to a peer at this moment.
    public func isWritable() throws(ZeroMQError) -> Bool {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        guard unsafe zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size) == 0 else { throw ZeroMQError(last: "events") }
        return events & Int32(ZMQ_POLLOUT) != 0
    }

    /// Queues one message of at least one frame, atomically and without waiting.
    ///
    /// Returns false if the peer's queue is full, there is no peer, or the peer that a ROUTER names in the first frame
    /// is unknown. A PUB drops messages for slow subscribers and returns true. Throws EINVAL for no frames, and
    /// libzmq's other errors.
    @discardableResult
    public func send(_ frames: [[UInt8]]) throws(ZeroMQError) -> Bool {
        guard !frames.isEmpty else { throw ZeroMQError(code: EINVAL, operation: "send") }
        for index in frames.indices {
            if send(frames[index], isLast: index == frames.count - 1) { continue }
            let code = zmq_errno()
            guard code == EAGAIN || code == EHOSTUNREACH else { throw ZeroMQError(code: code, operation: "send") }
            if index > 0 {
                // The peer disconnected between two frames. libzmq takes back the first ones and discards frames up to
                // the last. Without the last frame it would discard the next message instead.
                for rest in frames.indices.dropFirst(index + 1) {
                    _ = send(frames[rest], isLast: rest == frames.count - 1)
                }
            }
            return false
        }
        return true
    }

    /// Returns the next message, or nil if there is none.
    ///
    /// Throws EMSGSIZE for a message of more than 4096 frames, which is dropped; the socket stays usable.
    public func receive() throws(ZeroMQError) -> [[UInt8]]? {
        try receive(naming: false)?.frames
    }

    /// Returns the next message and its sender's ZAP user id, which is nil on unauthenticated connections.
    public func receiveWithUser() throws(ZeroMQError) -> (frames: [[UInt8]], user: String?)? {
        try receive(naming: isVouched)
    }

    private func receive(naming: Bool) throws(ZeroMQError) -> (frames: [[UInt8]], user: String?)? {
        guard try arrive() else { return nil }
        var user: String?
        var frames: [[UInt8]] = []
        // Enough for nearly every message.
        frames.reserveCapacity(4)
        var count = 0
        repeat {
            count += 1
            if count <= ZeroMQLimits.framesPerMessage { frames.append(unsafe Self.bytes(of: inbox)) }
            // A ROUTER's own first frame can lack the user id, so the following frames are checked, too.
            if naming, user == nil { user = unsafe zmq_msg_gets(inbox, "User-Id").map { unsafe String(cString: $0) } }
            guard unsafe zmq_msg_more(inbox) != 0 else { break }
            guard try arrive() else { throw ZeroMQError(code: EPROTO, operation: "receive") }
        } while true
        // Frees the memory of a large frame now, not with the next message.
        unsafe zmq_msg_close(inbox)
        unsafe zmq_msg_init(inbox)
        guard count <= ZeroMQLimits.framesPerMessage else { throw ZeroMQError(code: EMSGSIZE, operation: "receive") }
        return (frames, user)
    }

    /// Receives the next frame into `inbox`; returns false if there is none.
    private func arrive() throws(ZeroMQError) -> Bool {
        while unsafe zmq_msg_recv(inbox, handle, ZMQ_DONTWAIT) < 0 {
            let code = zmq_errno()
            if code == EAGAIN { return false }
            guard code == EINTR else { throw ZeroMQError(code: code, operation: "receive") }
        }
        return true
    }

    private func send(_ frame: [UInt8], isLast: Bool) -> Bool {
        let flags = isLast ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
        while unsafe zmq_send(handle, frame, frame.count, flags) < 0 {
            guard zmq_errno() == EINTR else { return false }
        }
        return true
    }

    private static func bytes(of message: UnsafeMutablePointer<zmq_msg_t>) -> [UInt8] {
        let count = unsafe zmq_msg_size(message)
        return unsafe Array(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: count))
    }

    private typealias EndpointCall = (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32

    private func meet(_ operation: String, _ endpoint: String, _ call: EndpointCall) throws(ZeroMQError) {
        // With IPv6 on, a wildcard would listen on both families; so it is on only for an IPv6 address.
        try set(ZMQ_IPV6, endpoint.hasPrefix("tcp://[") ? 1 : 0, operation)
        unsafe try perform(operation, endpoint, call)
    }

    private func perform(_ operation: String, _ endpoint: String, _ call: EndpointCall) throws(ZeroMQError) {
        while unsafe call(handle, endpoint) != 0 {
            guard zmq_errno() == EINTR else { throw ZeroMQError(last: operation) }
        }
    }
}
