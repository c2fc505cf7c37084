import CNATS
import Glibc

/// Where a cluster is and how a client proves to it who it is.
public struct NATSOptions: Sendable {
    /// The addresses of its servers, such as `nats://10.0.0.1:4222` or `tls://…`.
    public var servers: [String]
    /// The name under which servers list this client.
    public var name: String
    /// The path of a credentials file (a user's JWT and its NKey seed), if the cluster requires one.
    public var credentials: String?
    /// The path of the certificates (PEM) that a server's certificate must be signed by, instead of the system's.
    public var certificates: String?

    /// Creates options.
    public init(servers: [String], name: String, credentials: String? = nil, certificates: String? = nil) {
        self.servers = servers
        self.name = name
        self.credentials = credentials
        self.certificates = certificates
    }
}

/// A connection to a NATS cluster, which connects again by itself, to any of its servers.
///
/// ```
/// let connection = try NATSConnection(NATSOptions(servers: ["nats://127.0.0.1:4222"], name: "orders"))
/// let reply = try connection.request(NATSMessage("$JS.API.INFO"), milliseconds: 1_000)
/// ```
@safe public final class NATSConnection {
    private let handle: OpaquePointer

    /// Connects to the first server that accepts. Throws if none does.
    public init(_ options: NATSOptions) throws(NATSError) {
        let settings = try Settings(options)
        var made: OpaquePointer?
        try NATSError.check(unsafe natsConnection_Connect(&made, settings.handle), "connect")
        guard let made = unsafe made else { throw NATSError(operation: "connect", reason: "no connection") }
        unsafe handle = made
    }

    deinit {
        unsafe natsConnection_Destroy(handle)
    }

    /// Sends a message without waiting. It may be lost.
    public func publish(_ message: NATSMessage) throws(NATSError) {
        let made = try Outgoing(message)
        try NATSError.check(unsafe natsConnection_PublishMsg(handle, made.handle), "publish")
    }

    /// Sends a message and returns the first reply. Throws `timedOut` if none comes in time.
    public func request(_ message: NATSMessage, milliseconds: Int64) throws(NATSError) -> NATSReply {
        let made = try Outgoing(message)
        var reply: OpaquePointer?
        try NATSError.check(
            unsafe natsConnection_RequestMsg(&reply, handle, made.handle, milliseconds), "request")
        guard let reply = unsafe reply else { throw NATSError(.timedOut, operation: "request", reason: "no reply") }
        return unsafe NATSReply(owning: reply)
    }

    /// Sends a request that has many replies, and passes each to `take` until it returns false.
    ///
    /// - Parameter milliseconds: how long each reply may take. Throws `timedOut` after that.
    public func request(
        _ subject: String, body: [UInt8], milliseconds: Int64, each take: (NATSReply) throws(NATSError) -> Bool
    ) throws(NATSError) {
        let inbox = try unsafe Inbox(on: handle)
        try NATSError.check(
            unsafe body.withUnsafeBytes { data in
                unsafe natsConnection_PublishRequest(handle, subject, inbox.name, data.baseAddress, Int32(data.count))
            }, "request")
        while try take(try inbox.next(milliseconds: milliseconds)) {}
    }
}

/// The library's options, for one connection.
@safe private final class Settings {
    let handle: OpaquePointer

    init(_ options: NATSOptions) throws(NATSError) {
        guard (1...NATSLimits.servers).contains(options.servers.count) else {
            throw NATSError(operation: "connect", reason: "there must be 1 to \(NATSLimits.servers) servers")
        }
        var made: OpaquePointer?
        try NATSError.check(unsafe natsOptions_Create(&made), "connect")
        guard let made = unsafe made else { throw NATSError(operation: "connect", reason: "no memory") }
        unsafe handle = made
        try NATSError.check(unsafe Self.set(options.servers, of: made), "servers")
        try NATSError.check(unsafe natsOptions_SetName(made, options.name), "name")
        try NATSError.check(unsafe natsOptions_SetTimeout(made, NATSLimits.connectMilliseconds), "timeout")
        try NATSError.check(unsafe natsOptions_SetMaxReconnect(made, -1), "reconnect")
        try NATSError.check(
            unsafe natsOptions_SetReconnectWait(made, NATSLimits.reconnectMilliseconds), "reconnect")
        try NATSError.check(unsafe natsOptions_SetPingInterval(made, NATSLimits.pingMilliseconds), "ping")
        try NATSError.check(unsafe natsOptions_SetMaxPingsOut(made, NATSLimits.pings), "ping")
        try NATSError.check(unsafe natsOptions_SetWriteDeadline(made, NATSLimits.writeMilliseconds), "write")
        try NATSError.check(unsafe natsOptions_SetFailRequestsOnDisconnect(made, true), "requests")
        // By default the library prints errors of a connection; callers learn of them from their requests.
        try NATSError.check(unsafe natsOptions_SetErrorHandler(made, { _, _, _, _ in }, nil), "errors")
        if let credentials = options.credentials {
            try NATSError.check(
                unsafe natsOptions_SetUserCredentialsFromFiles(made, credentials, nil), "credentials")
        }
        if let certificates = options.certificates {
            try NATSError.check(unsafe natsOptions_LoadCATrustedCertificates(made, certificates), "certificates")
        }
    }

    deinit {
        unsafe natsOptions_Destroy(handle)
    }

    /// Sets the servers. The library copies the texts.
    private static func set(_ servers: [String], of options: OpaquePointer) -> natsStatus {
        let texts = unsafe servers.map { unsafe strdup($0) }
        defer { unsafe texts.forEach { unsafe free($0) } }
        var pointers = unsafe texts.map { unsafe UnsafePointer<CChar>($0) }
        return unsafe natsOptions_SetServers(options, &pointers, Int32(pointers.count))
    }
}

/// A message of the library that is to be sent.
@safe private final class Outgoing {
    let handle: OpaquePointer

    init(_ message: NATSMessage) throws(NATSError) {
        var made: OpaquePointer?
        let status = unsafe message.body.withUnsafeBytes { data in
            unsafe natsMsg_Create(
                &made, message.subject, nil, data.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(data.count))
        }
        try NATSError.check(status, "message")
        guard let made = unsafe made else { throw NATSError(operation: "message", reason: "no memory") }
        unsafe handle = made
        for (name, value) in message.headers {
            try NATSError.check(unsafe natsMsgHeader_Set(made, name, value), "header")
        }
    }

    deinit {
        unsafe natsMsg_Destroy(handle)
    }
}

/// A subscription to a subject of its own, for the replies to one request.
@safe private final class Inbox {
    let name: String
    private let subscription: OpaquePointer

    init(on connection: OpaquePointer) throws(NATSError) {
        var text: UnsafeMutablePointer<CChar>?
        try NATSError.check(unsafe natsInbox_Create(&text), "inbox")
        guard let text = unsafe text else { throw NATSError(operation: "inbox", reason: "no memory") }
        name = unsafe String(cString: text)
        unsafe natsInbox_Destroy(text)
        var made: OpaquePointer?
        try NATSError.check(unsafe natsConnection_SubscribeSync(&made, connection, name), "subscribe")
        guard let made = unsafe made else { throw NATSError(operation: "subscribe", reason: "no memory") }
        unsafe subscription = made
    }

    deinit {
        unsafe natsSubscription_Destroy(subscription)
    }

    func next(milliseconds: Int64) throws(NATSError) -> NATSReply {
        var message: OpaquePointer?
        try NATSError.check(unsafe natsSubscription_NextMsg(&message, subscription, milliseconds), "reply")
        guard let message = unsafe message else { throw NATSError(.timedOut, operation: "reply", reason: "no reply") }
        return unsafe NATSReply(owning: message)
    }
}
