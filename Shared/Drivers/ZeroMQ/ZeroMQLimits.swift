/// What a peer can make this driver hold, and how long its own names may be.
enum ZeroMQLimits {
    /// Bytes of one frame unless a socket says otherwise; the peer that sends more is disconnected.
    static let frameBytes = (1 << 20) + (64 << 10)
    /// Frames of one message; a longer one is read off, dropped and reported as EMSGSIZE.
    static let framesPerMessage = 4096
    /// Characters of a CURVE key in Z85 (RFC 32).
    static let curveKeyCharacters = 40
    /// Bytes of an endpoint that libzmq reports, with its final zero.
    static let endpointBytes = 1024
}
