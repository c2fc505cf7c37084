import CZeroMQ

/// The queue limits, timeouts and identity of a socket; times are milliseconds.
public struct SocketOptions: Sendable {
    /// How long closing waits for unsent messages; 0 drops them, -1 waits without limit.
    public var linger = 0
    /// Messages queued to one peer before `send` returns false.
    public var sendHighWater = 1000
    /// Messages queued from one peer before libzmq stops reading from it.
    public var receiveHighWater = 1000
    /// The maximum bytes of one frame; a peer that sends more is disconnected.
    public var maxMessageBytes = ZeroMQLimits.frameBytes
    /// The interval of heartbeats on an idle connection; 0 disables them.
    public var heartbeat = 2000
    /// How long a peer may be silent before its connection is closed.
    public var heartbeatTimeout = 6000
    /// How long a peer may take for the handshake.
    public var handshake = 5000
    /// How long a TCP connection may take to be established.
    public var connectTimeout = 5000
    /// The first pause before reconnecting; it doubles up to `reconnectMax`.
    public var reconnect = 100
    /// The longest pause before reconnecting.
    public var reconnectMax = 2000
    /// The name under which a ROUTER peer sees this socket: 1 to 255 bytes, the first not zero.
    public var routingID: [UInt8]?
    /// ROUTER only: an unknown peer makes `send` return false instead of dropping the message.
    public var routerMandatory = true
    /// ROUTER only: a new connection takes over the routing id of an older one.
    ///
    /// A peer whose old connection is not closed yet can thus reconnect. Any peer can take over an id: use it only
    /// where ZAP authenticates the peers.
    public var routerHandover = false
    /// Whether messages are queued only to peers whose connection is complete.
    public var immediate = false
    /// The keys for CURVE; nil for a connection that is neither encrypted nor authenticated.
    public var curve: Curve?
    /// The domain that a CURVE server sends in its ZAP requests.
    public var zapDomain = "furrow"

    /// False only in a test that shows what CURVE without an allow-list does: it accepts every key.
    var needsAuthenticator = true

    /// Creates the default options.
    public init() {}
}

extension Socket {
    func apply(_ options: SocketOptions) throws(ZeroMQError) {
        try set(ZMQ_LINGER, options.linger, "linger")
        try set(ZMQ_SNDHWM, options.sendHighWater, "send high water")
        try set(ZMQ_RCVHWM, options.receiveHighWater, "receive high water")
        try set(ZMQ_MAXMSGSIZE, wide: Int64(options.maxMessageBytes), "message size")
        try set(ZMQ_HEARTBEAT_IVL, options.heartbeat, "heartbeat")
        try set(ZMQ_HEARTBEAT_TIMEOUT, options.heartbeatTimeout, "heartbeat timeout")
        try set(ZMQ_HEARTBEAT_TTL, options.heartbeatTimeout, "heartbeat lifetime")
        try set(ZMQ_HANDSHAKE_IVL, options.handshake, "handshake")
        try set(ZMQ_CONNECT_TIMEOUT, options.connectTimeout, "connect timeout")
        try set(ZMQ_RECONNECT_IVL, options.reconnect, "reconnect")
        try set(ZMQ_RECONNECT_IVL_MAX, options.reconnectMax, "longest reconnect")
        try set(ZMQ_IMMEDIATE, options.immediate ? 1 : 0, "immediate")
        if let name = options.routingID { try set(ZMQ_ROUTING_ID, bytes: name, "routing id") }
        if kind == .router {
            try set(ZMQ_ROUTER_MANDATORY, options.routerMandatory ? 1 : 0, "mandatory routing")
            try set(ZMQ_ROUTER_HANDOVER, options.routerHandover ? 1 : 0, "handover")
        }
        if let curve = options.curve { try apply(curve, options) }
    }

    private func apply(_ curve: Curve, _ options: SocketOptions) throws(ZeroMQError) {
        switch curve {
        case .server(let secretKey):
            try set(ZMQ_CURVE_SERVER, 1, "curve")
            try set(key: ZMQ_CURVE_SECRETKEY, secretKey, "secret key")
            try set(ZMQ_ZAP_DOMAIN, bytes: Array(options.zapDomain.utf8), "zap domain")
            // Without it, a server accepts every key if the ZAP authenticator is missing or has ended (the mutant in
            // ZAPAuthenticatorTests shows it); with it, none.
            try set(Self.zapEnforceDomain, options.needsAuthenticator ? 1 : 0, "zap enforcement")
        case .client(let serverKey, let publicKey, let secretKey):
            try set(key: ZMQ_CURVE_SERVERKEY, serverKey, "server key")
            try set(key: ZMQ_CURVE_PUBLICKEY, publicKey, "public key")
            try set(key: ZMQ_CURVE_SECRETKEY, secretKey, "secret key")
        }
    }

    /// ZMQ_ZAP_ENFORCE_DOMAIN: a draft option in the header of 4.3.4, but supported by the library.
    private static var zapEnforceDomain: Int32 { 93 }

    private func set(key option: Int32, _ key: String, _ operation: String) throws(ZeroMQError) {
        guard Curve.isKey(key) else { throw ZeroMQError(code: EINVAL, operation: operation) }
        try set(option, bytes: Array(key.utf8), operation)
    }

    func set(_ option: Int32, _ value: Int, _ operation: String) throws(ZeroMQError) {
        var number = Int32(clamping: value)
        guard unsafe zmq_setsockopt(handle, option, &number, MemoryLayout<Int32>.size) == 0 else {
            throw ZeroMQError(last: operation)
        }
    }

    private func set(_ option: Int32, wide value: Int64, _ operation: String) throws(ZeroMQError) {
        var number = value
        guard unsafe zmq_setsockopt(handle, option, &number, MemoryLayout<Int64>.size) == 0 else {
            throw ZeroMQError(last: operation)
        }
    }

    func set(_ option: Int32, bytes: [UInt8], _ operation: String) throws(ZeroMQError) {
        guard unsafe zmq_setsockopt(handle, option, bytes, bytes.count) == 0 else {
            throw ZeroMQError(last: operation)
        }
    }
}
