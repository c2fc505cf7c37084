import CZeroMQ

/// How a socket queues, keeps its connections alive and says who it is; times are milliseconds.
public struct SocketOptions: Sendable {
    /// How long closing waits for unsent messages; 0 drops them, -1 waits for ever.
    public var linger = 0
    /// Messages queued to one peer before `send` says false.
    public var sendHighWater = 1000
    /// Messages queued from one peer before it is held back.
    public var receiveHighWater = 1000
    /// Bytes of one frame; the peer that sends more is disconnected.
    public var maxMessageBytes = ZeroMQLimits.frameBytes
    /// How often an idle connection is tried; 0 never.
    public var heartbeat = 2000
    /// Silence after which a connection is given up.
    public var heartbeatTimeout = 6000
    /// How long a peer may take over the handshake.
    public var handshake = 5000
    /// How long a TCP connection may take to come about.
    public var connectTimeout = 5000
    /// First pause before a lost connection is tried again; it doubles up to `reconnectMax`.
    public var reconnect = 100
    public var reconnectMax = 2000
    /// The name under which a ROUTER peer sees this socket: 1 to 255 bytes, the first not zero.
    public var routingID: [UInt8]?
    /// ROUTER only: an unknown peer makes `send` say false instead of swallowing the message.
    public var routerMandatory = true
    /// ROUTER only: a new connection takes over the routing id of an older one.
    ///
    /// So a peer that died unnoticed can come back. Any peer can do it: use it only where ZAP names the peers.
    public var routerHandover = false
    /// Queue only to peers whose connection is complete.
    public var immediate = false
    public var curve: Curve?
    /// What a CURVE server calls itself when it asks the doorkeeper.
    public var zapDomain = "furrow"

    /// Off only to show what CURVE without an allow-list does: let any key in.
    var needsAuthenticator = true

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
            // Without it a server whose doorkeeper is missing or has left takes every key (the mutant in
            // ZAPAuthenticatorTests shows it); with it, none.
            try set(Self.zapEnforceDomain, options.needsAuthenticator ? 1 : 0, "zap enforcement")
        case .client(let serverKey, let publicKey, let secretKey):
            try set(key: ZMQ_CURVE_SERVERKEY, serverKey, "server key")
            try set(key: ZMQ_CURVE_PUBLICKEY, publicKey, "public key")
            try set(key: ZMQ_CURVE_SECRETKEY, secretKey, "secret key")
        }
    }

    /// ZMQ_ZAP_ENFORCE_DOMAIN: the header of 4.3.4 hides it among drafts, the library honours it.
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
