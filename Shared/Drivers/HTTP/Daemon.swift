import CMicroHTTPD
import Glibc
import Synchronization

/// A running libmicrohttpd and its callbacks.
@safe
final class Daemon: Sendable {
    let limits: HTTPLimits
    /// Whether the server itself speaks TLS.
    let isSecure: Bool
    let proxies: TrustedProxies
    /// Fields added to every response that does not set them.
    let commonHeaders: HTTPHeaders
    let handler: @Sendable (HTTPExchange) -> Void
    let openRequests = OpenRequests()
    let tally = ServerCounters()
    let watch: ConnectionTimeouts
    let connections: ConnectionTable
    let heads = PendingHeads()
    private let peers = Atomic<UInt64>(0)

    private let running = Mutex<DaemonHandle?>(nil)
    /// The context of libmicrohttpd's log callback.
    private nonisolated(unsafe) let logger: UnsafeMutablePointer<mhd_shim_logger>

    init(
        limits: HTTPLimits, isSecure: Bool, proxies: TrustedProxies, commonHeaders: HTTPHeaders,
        handler: @escaping @Sendable (HTTPExchange) -> Void
    ) throws(HTTPError) {
        self.limits = limits
        self.isSecure = isSecure
        self.proxies = proxies
        self.commonHeaders = commonHeaders
        self.handler = handler
        connections = ConnectionTable(limits)
        watch = try ConnectionTimeouts(tally: tally)
        unsafe logger = .allocate(capacity: 1)
    }

    deinit { unsafe logger.deallocate() }

    /// Starts the server; takes ownership of the socket, also if it throws.
    func start(on socket: Int32, tls: TLSIdentity?) throws(HTTPError) {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe []
        defer { unsafe words.forEach { unsafe free($0) } }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe logger.initialize(to: mhd_shim_logger(notice: Self.noticeLog, context: context))
        var options = unsafe [
            Self.option(.LISTEN_SOCKET, Int(socket)),
            Self.option(.THREAD_POOL_SIZE, TransferLimits.threads),
            // `ConnectionTable` refuses long before: at libmicrohttpd's own limit, new clients would wait unaccepted.
            Self.option(
                .CONNECTION_LIMIT, 2 * (limits.maxConnections + limits.reservedConnections) + TransferLimits.threads),
            Self.option(.CONNECTION_TIMEOUT, limits.idleSeconds),
            Self.option(.CONNECTION_MEMORY_LIMIT, limits.maxHeaderBytes + TransferLimits.connectionExtraBytes),
            // `HeadLayout` and `Framing` validate a head. The library's own strict level answers a missing Host with
            // two heads.
            Self.option(.STRICT_FOR_CLIENT, 0),
            Self.option(.SIGPIPE_HANDLED_BY_APP, 1),
            Self.option(.UNESCAPE_CALLBACK, unsafe unsafeBitCast(Self.keepEscapes, to: Int.self), nil),
            Self.option(.NOTIFY_CONNECTION, unsafe unsafeBitCast(Self.meet, to: Int.self), context),
            Self.option(.NOTIFY_COMPLETED, unsafe unsafeBitCast(Self.complete, to: Int.self), context),
            Self.option(.URI_LOG_CALLBACK, unsafe unsafeBitCast(Self.beginHead, to: Int.self), context),
            mhd_shim_logging(logger),
        ]
        var flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ERROR_LOG.rawValue
        if let tls {
            flags |= MHD_USE_TLS.rawValue
            let texts: [(MHD_OPTION, String)] = [
                (.HTTPS_MEM_CERT, tls.certificatePEM), (.HTTPS_MEM_KEY, tls.keyPEM),
                (.HTTPS_PRIORITIES, Self.priorities),
            ]
            for (option, text) in texts {
                let word = unsafe strdup(text)
                unsafe words.append(word)
                unsafe options.append(Self.option(option, 0, word))
            }
        }
        unsafe options.append(Self.option(.END, 0))
        guard let started = unsafe mhd_shim_start(flags, Self.receive, context, &options) else {
            close(socket)
            watch.stop()
            throw tls == nil
                ? HTTPError(.exhausted, "the server could not start")
                : HTTPError(.identityUnusable, "the certificate and key cannot be used together")
        }
        let handle = unsafe DaemonHandle(started, listener: socket)
        running.withLock { $0 = handle }
    }

    /// TLS 1.2 and 1.3, only with authenticated encryption (AEAD) and forward secrecy: no CBC suite, no key exchange by
    /// RSA encryption.
    private static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-AES-128-CBC:-AES-256-CBC:-CAMELLIA-128-CBC:-CAMELLIA-256-CBC"
        + ":-3DES-CBC:-RSA:%SERVER_PRECEDENCE"

    private static func option(
        _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
    ) -> MHD_OptionItem {
        unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
    }

    /// Answers 503 to pending requests, lets responses finish, then stops; idempotent.
    func stop() {
        let taken = running.withLock { running in
            let handle = running
            running = nil
            return handle
        }
        guard let taken else { return }
        taken.stop {
            openRequests.close()
            openRequests.waitUntilQuiet(milliseconds: TransferLimits.stopMilliseconds)
            // libmicrohttpd 0.9.75 crashes when it reads a malformed request while it stops, so nothing may be left to
            // read.
            watch.closeAll(milliseconds: TransferLimits.stopMilliseconds)
        }
        watch.stop()
    }

    private func meet(_ connection: OpaquePointer) -> Peer {
        let socket = unsafe mhd_shim_socket(connection)
        ListeningSocket.sendPromptly(socket)
        let id = peers.add(1, ordering: .relaxed).newValue
        let peer = Peer(id: id, socket: socket, headSeconds: limits.headSeconds)
        peer.isProxy = proxies.trusts(peer.address)
        watch.add(peer)
        connections.add(peer)
        tally.connections.add(1, ordering: .relaxed)
        tally.connectionsOpen.add(1, ordering: .relaxed)
        return peer
    }

    private func part(from peer: Peer) {
        connections.remove(peer)
        watch.remove(peer)
        tally.connectionsOpen.subtract(1, ordering: .relaxed)
    }

    // Paths and queries are decoded later, where a malformed escape can be refused.
    private static let keepEscapes:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in unsafe text.map { unsafe strlen($0) } ?? 0 }

    private static let meet:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_ConnectionNotificationCode
        ) -> Void = { context, connection, slot, code in
            guard let context = unsafe context, let connection = unsafe connection, let slot = unsafe slot else {
                return
            }
            let daemon = unsafe Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
            if code == .CONNECTION_NOTIFY_STARTED {
                unsafe slot.pointee = unsafe Unmanaged.passRetained(daemon.meet(connection)).toOpaque()
            } else if let peer = unsafe slot.pointee {
                daemon.part(from: unsafe Unmanaged<Peer>.fromOpaque(peer).takeRetainedValue())
                unsafe slot.pointee = nil
            }
        }

    private static let complete:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            MHD_RequestTerminationCode
        ) -> Void = { _, _, slot, _ in
            guard let slot = unsafe slot, let arrival = unsafe slot.pointee else { return }
            unsafe Unmanaged<ServerRequest>.fromOpaque(arrival).takeRetainedValue().finish()
            unsafe slot.pointee = nil
        }

    /// Called when a request line is complete, before anything of it is changed; creates the request's state.
    private static let beginHead:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { context, target, connection in
            guard let context = unsafe context, let connection = unsafe connection,
                let peer = unsafe mhd_shim_context(connection)
            else { return nil }
            let arrival = unsafe ServerRequest(
                Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue(),
                Unmanaged<Peer>.fromOpaque(peer).takeUnretainedValue(), connection,
                target: target.map { unsafe String(cString: $0) } ?? "")
            return unsafe Unmanaged.passRetained(arrival).toOpaque()
        }

    private static let noticeLog: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().heads.refuseOnThisThread()
    }

    private static let receive: MHD_AccessHandlerCallback = {
        _, connection, target, method, version, bytes, count, slot in
        guard let slot = unsafe slot, let known = unsafe slot.pointee, let target = unsafe target,
            let method = unsafe method, let version = unsafe version, let count = unsafe count
        else { return .NO }
        let arrival = unsafe Unmanaged<ServerRequest>.fromOpaque(known).takeUnretainedValue()
        guard arrival.hasHead else { return unsafe arrival.begin(method: method, path: target, version: version) }
        guard unsafe count.pointee > 0 else { return arrival.proceed() }
        let part = unsafe UnsafeRawBufferPointer(start: bytes, count: count.pointee)
        unsafe count.pointee = 0
        return unsafe arrival.append(part)
    }
}
