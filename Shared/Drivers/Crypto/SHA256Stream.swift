/// SHA-256 of bytes that arrive piece by piece: an upload, a file that is read in blocks.
///
/// A value: a copy goes on from where it was made.
public struct SHA256Stream: Sendable {
    private var state = SHA256.State()

    public init() {}

    /// Takes in the next bytes.
    public mutating func update(_ bytes: [UInt8]) {
        state.absorb(bytes.span)
    }

    /// Takes in the next lent bytes.
    public mutating func update(_ bytes: RawSpan) {
        state.absorb(bytes)
    }

    /// The digest of everything since the start, 32 bytes; the stream begins anew.
    public mutating func finish() -> [UInt8] {
        defer { state = SHA256.State() }
        return state.digest()
    }
}
