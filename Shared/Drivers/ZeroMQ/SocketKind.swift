import CZeroMQ

/// The type of a socket (RFC 28, 29 and 31 of ZeroMQ).
///
/// `stream` exchanges bytes with programs that do not speak ZMTP: the first frame of a message names the connection,
/// the second holds bytes; it is empty when the connection opens, and when it closes.
public enum SocketKind: Sendable {
    case router, dealer, pub, sub, rep, req, pair, stream

    var number: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .pub: ZMQ_PUB
        case .sub: ZMQ_SUB
        case .rep: ZMQ_REP
        case .req: ZMQ_REQ
        case .pair: ZMQ_PAIR
        case .stream: ZMQ_STREAM
        }
    }
}
