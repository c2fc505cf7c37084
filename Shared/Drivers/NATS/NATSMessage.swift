import CNATS

/// A message to send.
public struct NATSMessage: Sendable {
    /// The subject, such as `journal.orders.farm-0.event`.
    public var subject: String
    /// The headers, in order. A value must not contain a line break.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    /// Creates a message.
    public init(_ subject: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.subject = subject
        self.headers = headers
        self.body = body
    }
}

/// A message that was received.
@safe public final class NATSReply {
    private let handle: OpaquePointer

    /// Takes over a message of the library, which it destroys.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe natsMsg_Destroy(handle)
    }

    /// The body.
    public var body: [UInt8] {
        guard let data = unsafe natsMsg_GetData(handle) else { return [] }
        let count = Int(unsafe natsMsg_GetDataLength(handle))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: data, count: count))
    }

    /// Returns the value of a header, or nil if the message has none of this name. Names are case-sensitive.
    public func header(_ name: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe natsMsgHeader_Get(handle, name, &value) == NATS_OK, let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }
}
