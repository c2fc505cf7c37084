/// A response body that is sent in pieces: server-sent events, downloads.
///
/// A stream closes with its last reference.
public final class HTTPStream: Sendable {
    private let buffer: StreamBuffer

    init(_ buffer: StreamBuffer) { self.buffer = buffer }

    deinit { buffer.close() }

    /// Queues the bytes, all or none; returns false if the stream is closed or 256 KiB are still unsent.
    public func send(_ bytes: [UInt8]) -> Bool { buffer.append(bytes) }

    /// Calls `body` once when no queued bytes are left, or when the stream ends; at once if that is so now.
    ///
    /// The call is made on a thread of the server and must not block.
    public func whenSent(_ body: @escaping @Sendable () -> Void) { buffer.whenSent(body) }

    /// Breaks the connection off, so that the client notices that the body is not whole.
    public func abort() { buffer.abandon() }

    /// Ends the body after the bytes that are queued.
    public func close() { buffer.close() }

    /// Whether more can be sent: the stream is not closed and the client is connected.
    public var isOpen: Bool { buffer.isOpen }

    /// Calls `body` once when the stream ends for any reason; at once if it has ended.
    ///
    /// The call is made on a thread of the server and must not block.
    public func whenClosed(_ body: @escaping @Sendable () -> Void) { buffer.whenEnded(body) }
}
