/// A body that is sent bit by bit: server-sent events, downloads.
///
/// A stream that is let go closes itself.
public final class HTTPStream: Sendable {
    private let buffer: StreamBuffer

    init(_ buffer: StreamBuffer) { self.buffer = buffer }

    deinit { buffer.close() }

    /// Sends bytes, all or none of them; false when the stream is closed or the client is 256 KiB behind.
    public func send(_ bytes: [UInt8]) -> Bool { buffer.append(bytes) }

    /// Ends the body after what was sent already.
    public func close() { buffer.close() }

    /// Whether more can be sent: nobody closed it and the client has not left.
    public var isOpen: Bool { buffer.isOpen }

    /// Calls once when the stream is over, for whatever reason; at once when it is over already.
    ///
    /// The call comes on a thread of the server and must not block.
    public func whenClosed(_ body: @escaping @Sendable () -> Void) { buffer.whenEnded(body) }
}
