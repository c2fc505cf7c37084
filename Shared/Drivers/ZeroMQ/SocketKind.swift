import CZeroMQ

/// The type of a socket (RFC 28, 29 and 31 of ZeroMQ).
public enum SocketKind: Sendable {
    case router, dealer, pub, sub, rep, req, pair

    var number: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .pub: ZMQ_PUB
        case .sub: ZMQ_SUB
        case .rep: ZMQ_REP
        case .req: ZMQ_REQ
        case .pair: ZMQ_PAIR
        }
    }
}
