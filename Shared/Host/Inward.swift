import HTTP

/// What other threads hand to a service's loop.
enum Inward: Sendable {
    case web(HTTPExchange)
    case finished(token: UInt64, result: [UInt8])
    /// An ask could not even be sent.
    case unasked(token: UInt64)
    case stop
}
