import COpenSSL

/// SHA-1, only because version 5 UUIDs are defined with it (RFC 9562, 5.5); never for security.
public enum SHA1 {
    /// Bytes of a digest.
    public static let size = 20

    /// Returns the digest of the concatenated parts; 20 bytes.
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var context = SHA_CTX()
        unsafe SHA1_Init(&context)
        for part in parts { unsafe SHA1_Update(&context, part, part.count) }
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            unsafe SHA1_Final(buffer.baseAddress, &context)
            count = size
        }
    }
}
