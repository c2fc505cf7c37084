import COpenSSL

/// Whether two secrets are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && (unsafe CRYPTO_memcmp(a, b, a.count)) == 0
}

/// Overwrites a secret so that it doesn't stay in freed memory; the array ends up empty.
///
/// Only the copy that this variable holds is wiped: an array that something else shares stays as it is there.
public func wipe(_ secret: inout [UInt8]) {
    unsafe secret.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    secret = []
}
