import CZeroMQ
import Glibc
import Synchronization

/// Decides which client key may come in, and under which name (ZAP, RFC 27 of ZeroMQ).
///
/// A thread answers every CURVE server of one context at `inproc://zeromq.zap.01`. Make it before the first server
/// binds: a server without one takes nobody. It goes when the last reference goes; connections that exist stay.
public final class ZAPAuthenticator: Sendable {
    private let handler: ZAPHandler
    private let thread: pthread_t
    /// Closing it tells the thread to go.
    private let leash: Int32

    /// Starts answering; `allow` is Z85 public key → user id.
    ///
    /// Throws EINVAL for what is no key, EADDRINUSE when the context has a doorkeeper already.
    public init(in context: Context, allow: [String: String]) throws(ZeroMQError) {
        guard allow.keys.allSatisfy(Curve.isKey) else { throw ZeroMQError(code: EINVAL, operation: "doorkeeper") }
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Self.leashKind, 0, &ends) == 0 else {
            throw ZeroMQError(code: errno, operation: "doorkeeper")
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

    /// A pair that a child process never inherits; pipe2(2) would do, but Swift's Glibc lacks it.
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
            throw ZeroMQError(code: code, operation: "doorkeeper")
        }
        return thread
    }

    deinit {
        _ = close(leash)
        pthread_join(thread, nil)
    }

    /// Replaces the list for everyone who comes from now on; what is no key is left out and returned.
    ///
    /// Who is in already stays in: close the server's socket to make all of them ask again.
    @discardableResult
    public func replace(allow: [String: String]) -> [String] {
        let good = allow.filter { Curve.isKey($0.key) }
        handler.replace(allow: good)
        return allow.keys.filter { good[$0] == nil }.sorted()
    }

    /// How many were let in and how many turned away since the start.
    public var counts: (admitted: Int, refused: Int) { handler.counts }
}
