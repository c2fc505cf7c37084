import CZeroMQ
import Glibc
import Synchronization

/// The state of the ZAP authenticator's thread: the ZAP socket, the allow-list, and the pipe that ends the thread.
final class ZAPHandler: Sendable {
    private struct Ledger {
        var allow: [String: String]
        var admitted = 0
        var refused = 0
    }

    private let ledger: Mutex<Ledger>
    /// Created and bound by the starting thread, then used by the handler thread only; starting the thread is the
    /// fence.
    private nonisolated(unsafe) let socket: Socket
    private let leash: Int32

    /// Takes ownership of `leash`, the reading end of a socket pair, unless it throws.
    init(in context: Context, allow: [String: String], leash: Int32) throws(ZeroMQError) {
        ledger = Mutex(Ledger(allow: allow))
        self.leash = leash
        unsafe socket = try Socket(.rep, in: context)
        unsafe try socket.bind("inproc://zeromq.zap.01")
    }

    func replace(allow: [String: String]) {
        ledger.withLock { $0.allow = allow }
    }

    var counts: (admitted: Int, refused: Int) { ledger.withLock { ($0.admitted, $0.refused) } }

    /// Serves requests until the pipe closes or the context ends; then the context's servers admit no client.
    func answer() {
        defer { _ = close(leash) }
        var poller = Poller()
        let requests = unsafe poller.add(socket)
        let end = poller.add(descriptor: leash)
        do throws(ZeroMQError) {
            while true {
                let ready = try poller.wait(milliseconds: -1)
                if ready.contains(end) { return }
                guard ready.contains(requests) else { continue }
                while let request = unsafe try socket.receive() {
                    unsafe try socket.send(reply(to: request))
                }
            }
        } catch {
            // The context is ending. For any other error, too, ending is safe: no client is admitted any more.
        }
    }

    /// Returns the reply to: version, request id, domain, address, routing id, mechanism, credentials.
    func reply(to request: [[UInt8]]) -> [[UInt8]] {
        let version = Array("1.0".utf8)
        let id = request.count > 1 ? request[1] : []
        let key = request.first == version ? Self.key(in: request) : nil
        let name = ledger.withLock { ledger -> String? in
            let known = key.flatMap { ledger.allow[$0] }
            if known == nil { ledger.refused += 1 } else { ledger.admitted += 1 }
            return known
        }
        // After a permanent refusal (400) libzmq's client stops trying. After a temporary one (300) it retries, so that
        // a client can connect once its key is on the list.
        guard let name else {
            let status = key == nil ? "400" : "300"
            return [version, id, Array(status.utf8), Array("not on the list".utf8), [], []]
        }
        return [version, id, Array("200".utf8), Array("OK".utf8), Array(name.utf8), []]
    }

    private static func key(in request: [[UInt8]]) -> String? {
        guard request.count == 7, request[5] == Array("CURVE".utf8) else { return nil }
        return Curve.text(ofKey: request[6])
    }
}
