import CZeroMQ

/// One end of a conversation; owned by one thread, closed when the last reference goes.
///
/// Nothing here blocks: wait with a `Poller`. A call that fails with `isShutdown` means that the context is ending.
@safe public final class Socket {
    let handle: UnsafeMutableRawPointer
    let kind: SocketKind
    /// Where frames arrive; one place for the socket's life, because libzmq forbids moving a message.
    private let inbox: UnsafeMutablePointer<zmq_msg_t>
    /// Whether a doorkeeper names the peers.
    private let isVouched: Bool
    /// Threads of libzmq must outlive the socket.
    private let context: Context

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
    /// The path of an `ipc` endpoint ends at 107 bytes, and binding silently takes it from whoever listens there.
    /// The file stays when the socket has gone.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        unsafe try meet("bind", endpoint, zmq_bind)
    }

    /// Dials an endpoint and keeps dialling; TCP wants a numeric address.
    ///
    /// A host name is refused with EINVAL: libzmq resolves on its I/O thread, where a name server that doesn't answer
    /// stalls every socket of the context.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        guard Endpoint.isNumeric(endpoint) else {
            throw ZeroMQError(code: EINVAL, operation: "connect", message: "TCP endpoints take numeric addresses")
        }
        unsafe try meet("connect", endpoint, zmq_connect)
    }

    public func unbind(_ endpoint: String) throws(ZeroMQError) {
        unsafe try perform("unbind", endpoint, zmq_unbind)
    }

    public func disconnect(_ endpoint: String) throws(ZeroMQError) {
        unsafe try perform("disconnect", endpoint, zmq_disconnect)
    }

    /// The endpoint last bound or connected, a wildcard port resolved; empty before.
    public var lastEndpoint: String {
        var bytes = [UInt8](repeating: 0, count: ZeroMQLimits.endpointBytes)
        var count = bytes.count
        guard unsafe zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &bytes, &count) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// SUB only: asks for the messages whose first frame starts with `prefix`; the empty one asks for all.
    public func subscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try set(ZMQ_SUBSCRIBE, bytes: prefix, "subscribe")
    }

    /// SUB only: takes back one `subscribe` with the same prefix.
    public func unsubscribe(_ prefix: [UInt8]) throws(ZeroMQError) {
        try set(ZMQ_UNSUBSCRIBE, bytes: prefix, "unsubscribe")
    }

    /// Readable once something may have happened to the socket since it was used last, for one `poll` of many sockets.
    ///
    /// Whatever is done to the socket (send, `isWritable`) may take note of what happened: the last thing before one
    /// waits has to be a `receive` that found nothing.
    public var descriptor: Int32 {
        var descriptor: Int32 = -1
        var size = MemoryLayout<Int32>.size
        _ = unsafe zmq_getsockopt(handle, ZMQ_FD, &descriptor, &size)
        return descriptor
    }

    /// Whether a message would find a peer with room for it just now.
    public func isWritable() throws(ZeroMQError) -> Bool {
        var events: Int32 = 0
        var size = MemoryLayout<Int32>.size
        guard unsafe zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size) == 0 else { throw ZeroMQError(last: "events") }
        return events & Int32(ZMQ_POLLOUT) != 0
    }

    /// Queues one message of at least one frame, whole or not at all, without waiting.
    ///
    /// False: the peer's queue is full, there is no peer, or the one a ROUTER names in the first frame is unknown or
    /// gone. A PUB drops for slow subscribers and says true. Throws EINVAL for no frames and what libzmq reports else.
    @discardableResult
    public func send(_ frames: [[UInt8]]) throws(ZeroMQError) -> Bool {
        guard !frames.isEmpty else { throw ZeroMQError(code: EINVAL, operation: "send") }
        for index in frames.indices {
            if send(frames[index], isLast: index == frames.count - 1) { continue }
            let code = zmq_errno()
            guard code == EAGAIN || code == EHOSTUNREACH else { throw ZeroMQError(code: code, operation: "send") }
            if index > 0 {
                // The peer went away between two frames. libzmq takes back the first ones and swallows what follows
                // until the last, which it must be given or it would swallow the next message instead.
                for rest in frames.indices.dropFirst(index + 1) {
                    _ = send(frames[rest], isLast: rest == frames.count - 1)
                }
            }
            return false
        }
        return true
    }

    /// The next message, or nil when none is there.
    ///
    /// Throws EMSGSIZE for a message of more than 4096 frames, which is gone then; the socket
    /// stays usable.
    public func receive() throws(ZeroMQError) -> [[UInt8]]? {
        try receive(naming: false)?.frames
    }

    /// The next message and the name that the doorkeeper gave its sender; nil on connections nobody vouched for.
    public func receiveWithUser() throws(ZeroMQError) -> (frames: [[UInt8]], user: String?)? {
        try receive(naming: isVouched)
    }

    private func receive(naming: Bool) throws(ZeroMQError) -> (frames: [[UInt8]], user: String?)? {
        guard try arrive() else { return nil }
        var user: String?
        var frames: [[UInt8]] = []
        // As many as nearly every message has.
        frames.reserveCapacity(4)
        var count = 0
        repeat {
            count += 1
            if count <= ZeroMQLimits.framesPerMessage { frames.append(unsafe Self.bytes(of: inbox)) }
            // A ROUTER's own first frame can come without the name, so the frames behind it are asked, too.
            if naming, user == nil { user = unsafe zmq_msg_gets(inbox, "User-Id").map { unsafe String(cString: $0) } }
            guard unsafe zmq_msg_more(inbox) != 0 else { break }
            guard try arrive() else { throw ZeroMQError(code: EPROTO, operation: "receive") }
        } while true
        // Gives a large frame's memory back now rather than when the next one comes.
        unsafe zmq_msg_close(inbox)
        unsafe zmq_msg_init(inbox)
        guard count <= ZeroMQLimits.framesPerMessage else { throw ZeroMQError(code: EMSGSIZE, operation: "receive") }
        return (frames, user)
    }

    /// Takes the next frame into `inbox`; false when none is there.
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
        // With IPv6 on, a wildcard would listen on both families; it is on only for an address that says so.
        try set(ZMQ_IPV6, endpoint.hasPrefix("tcp://[") ? 1 : 0, operation)
        unsafe try perform(operation, endpoint, call)
    }

    private func perform(_ operation: String, _ endpoint: String, _ call: EndpointCall) throws(ZeroMQError) {
        while unsafe call(handle, endpoint) != 0 {
            guard zmq_errno() == EINTR else { throw ZeroMQError(last: operation) }
        }
    }
}
