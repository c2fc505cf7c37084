/// The limits on messages from a peer and on libzmq's own names.
enum ZeroMQLimits {
    /// Bytes of one frame unless a socket's options differ; a peer that sends more is disconnected.
    static let frameBytes = (1 << 20) + (64 << 10)
    /// Frames of one message; a longer one is read, dropped and reported as EMSGSIZE.
    static let framesPerMessage = 4096
    /// Characters of a CURVE key in Z85 (RFC 32).
    static let curveKeyCharacters = 40
    /// Bytes of an endpoint that libzmq reports, with its final zero.
    static let endpointBytes = 1024
}
