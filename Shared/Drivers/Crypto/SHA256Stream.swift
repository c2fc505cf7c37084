/// SHA-256 of bytes that arrive in pieces: an upload, a file that is read in blocks.
///
/// A copy continues independently from where it was made.
///
/// ```
/// var stream = SHA256Stream()
/// for block in blocks { stream.update(block) }
/// let digest = stream.finish()
/// ```
public struct SHA256Stream: Sendable {
    private var state = SHA256.State()

    /// Starts an empty hash.
    public init() {}

    /// Hashes the next bytes.
    public mutating func update(_ bytes: [UInt8]) {
        state.absorb(bytes.span)
    }

    /// Hashes the next borrowed bytes.
    public mutating func update(_ bytes: RawSpan) {
        state.absorb(bytes)
    }

    /// Returns the digest of all bytes so far, 32 bytes, and resets the stream.
    public mutating func finish() -> [UInt8] {
        defer { state = SHA256.State() }
        return state.digest()
    }
}
