import COpenSSL

/// SHA-256 of bytes in memory (FIPS 180-4).
///
/// The chain and the Merkle tree hash every event with it. It therefore uses OpenSSL's direct functions with the state
/// on the stack: no provider look-up, and no allocation except for the result.
public enum SHA256 {
    /// Bytes of a digest.
    public static let size = 32

    /// Returns the digest of the concatenated parts; 32 bytes.
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var state = State()
        for part in parts { state.absorb(part.span) }
        return state.digest()
    }

    /// Returns the digest of the bytes; 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        hash(bytes.span)
    }

    /// Returns the digest of `a ‖ b`; 32 bytes.
    public static func hash(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        hash(a.span, b.span)
    }

    /// Returns the digest of `prefix ‖ a ‖ b`; 32 bytes.
    ///
    /// The shape of Merkle leaves (0x00) and nodes (0x01) of RFC 6962.
    public static func hash(prefix: UInt8, _ a: [UInt8], _ b: [UInt8] = []) -> [UInt8] {
        var state = State()
        state.absorb(prefix)
        state.absorb(a.span)
        state.absorb(b.span)
        return state.digest()
    }

    /// Returns the digest of borrowed bytes; 32 bytes.
    public static func hash(_ a: Span<UInt8>) -> [UInt8] {
        var state = State()
        state.absorb(a)
        return state.digest()
    }

    /// Returns the digest of borrowed bytes `a ‖ b`; 32 bytes.
    public static func hash(_ a: Span<UInt8>, _ b: Span<UInt8>) -> [UInt8] {
        var state = State()
        state.absorb(a)
        state.absorb(b)
        return state.digest()
    }

    /// Returns the digest of borrowed bytes; 32 bytes.
    public static func hash(_ a: RawSpan) -> [UInt8] {
        var state = State()
        state.absorb(a)
        return state.digest()
    }

    /// Returns the digest of borrowed bytes `a ‖ b`; 32 bytes.
    public static func hash(_ a: RawSpan, _ b: RawSpan) -> [UInt8] {
        var state = State()
        state.absorb(a)
        state.absorb(b)
        return state.digest()
    }
}

extension SHA256 {
    /// A hash in progress; a plain value that may be copied at any point.
    struct State: Sendable {
        private var context = SHA256_CTX()

        init() {
            unsafe SHA256_Init(&context)
        }

        mutating func absorb(_ byte: UInt8) {
            var byte = byte
            unsafe SHA256_Update(&context, &byte, 1)
        }

        mutating func absorb(_ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBufferPointer { unsafe absorb($0.baseAddress, count: $0.count) }
        }

        mutating func absorb(_ bytes: RawSpan) {
            unsafe bytes.withUnsafeBytes { unsafe absorb($0.baseAddress, count: $0.count) }
        }

        /// Returns the digest; the value must not be used afterwards.
        mutating func digest() -> [UInt8] {
            unsafe [UInt8](unsafeUninitializedCapacity: SHA256.size) { buffer, count in
                unsafe SHA256_Final(buffer.baseAddress, &context)
                count = SHA256.size
            }
        }

        private mutating func absorb(_ start: UnsafeRawPointer?, count: Int) {
            guard count > 0 else { return }
            unsafe SHA256_Update(&context, start, count)
        }
    }
}
