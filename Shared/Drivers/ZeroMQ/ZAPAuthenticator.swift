import CZeroMQ
import Glibc
import Synchronization

/// Decides which client keys are admitted, and gives each a user id (ZAP, RFC 27 of ZeroMQ).
///
/// A thread serves all CURVE servers of one context at `inproc://zeromq.zap.01`. Create it before the first server
/// binds: a server without an authenticator admits no client. It ends with its last reference; existing connections
/// stay open.
///
/// ```
/// let authenticator = try ZAPAuthenticator(in: context, allow: [publicKey: "sensors"])
/// let server = try Socket(.router, in: context, options: options)
/// ```
public final class ZAPAuthenticator: Sendable {
    private let handler: ZAPHandler
    private let thread: pthread_t
    /// The writing end of a socket pair; closing it ends the thread.
    private let leash: Int32

    /// Starts the thread; `allow` maps Z85 public keys to user ids.
    ///
    /// Throws EINVAL for a malformed key and EADDRINUSE if the context already has an authenticator.
    public init(in context: Context, allow: [String: String]) throws(ZeroMQError) {
        guard allow.keys.allSatisfy(Curve.isKey) else { throw ZeroMQError(code: EINVAL, operation: "authenticator") }
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Self.leashKind, 0, &ends) == 0 else {
            throw ZeroMQError(code: errno, operation: "authenticator")
        }
        do throws(ZeroMQError) {
            let handler = try ZAPHandler(in: context, allow: allow, leash: ends[0])
            thread = try Self.start(handler)
            self.handler = handler
        } catch {
            ends.forEach { _ = close($0) }
            throw error
        }
        leash = ends[1]
    }

    /// A kind of socket pair that a child process does not inherit; pipe2(2) would do, but Swift's Glibc lacks it.
    private static var leashKind: Int32 { Int32(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) }

    private static func start(_ handler: ZAPHandler) throws(ZeroMQError) -> pthread_t {
        var thread = pthread_t()
        let passed = unsafe Unmanaged.passRetained(handler)
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<ZAPHandler>.fromOpaque(argument).takeRetainedValue().answer()
                }
                return nil
            }, passed.toOpaque())
        guard code == 0 else {
            unsafe passed.release()
            throw ZeroMQError(code: code, operation: "authenticator")
        }
        return thread
    }

    deinit {
        _ = close(leash)
        pthread_join(thread, nil)
    }

    /// Replaces the allow-list for new connections; returns the malformed keys, which are ignored.
    ///
    /// Existing connections stay open: close the server's socket to make all clients authenticate again.
    @discardableResult
    public func replace(allow: [String: String]) -> [String] {
        let good = allow.filter { Curve.isKey($0.key) }
        handler.replace(allow: good)
        return allow.keys.filter { good[$0] == nil }.sorted()
    }

    /// The number of connections admitted and refused since the start.
    public var counts: (admitted: Int, refused: Int) { handler.counts }
}
