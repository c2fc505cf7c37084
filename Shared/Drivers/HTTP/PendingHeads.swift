import CMicroHTTPD
import Glibc
import Synchronization

/// The requests with a complete request line and an incomplete head.
///
/// libmicrohttpd 0.9.75 answers a Content-Length that is no number by itself, with two heads in a row (its
/// `parse_connection_headers` continues after the error). It logs the error first. At that moment the request is the
/// only one of its thread whose head is complete and was not passed on. This server then answers instead.
final class PendingHeads: Sendable {
    private struct Head {
        let connection: ConnectionHandle
        let socket: Int32
        let thread: pthread_t
        let isSecure: Bool
    }

    private let heads = Mutex<[ObjectIdentifier: Head]>([:])

    func add(_ arrival: ServerRequest, _ connection: OpaquePointer, _ peer: Peer, isSecure: Bool) {
        let head = unsafe Head(
            connection: ConnectionHandle(connection), socket: peer.socket, thread: pthread_self(), isSecure: isSecure)
        let id = ObjectIdentifier(arrival)
        heads.withLock { $0[id] = head }
    }

    func remove(_ arrival: ServerRequest) {
        let id = ObjectIdentifier(arrival)
        heads.withLock { $0[id] = nil }
    }

    /// Answers 400 to the request of this thread that libmicrohttpd is about to refuse, if any, and shuts down sending.
    ///
    /// Over TLS the connection is closed without a response.
    func refuseOnThisThread() {
        let thread = pthread_self()
        let refused = heads.withLock { heads in
            heads.values.first { pthread_equal($0.thread, thread) != 0 && $0.connection.hasHead }
        }
        guard let refused else { return }
        if !refused.isSecure {
            let answer = Self.answer
            _ = unsafe send(refused.socket, answer, answer.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        shutdown(refused.socket, Int32(SHUT_WR))
    }

    private static let answer: [UInt8] = {
        let body = HTTPResponse.problem(400, "The Content-Length of the request is not a number that is taken.").body
        let head =
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }()
}
