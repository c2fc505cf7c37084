import COpenSSL

/// Returns whether two secrets are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && (unsafe CRYPTO_memcmp(a, b, a.count)) == 0
}

/// Overwrites a secret so that it does not stay in freed memory; the array ends up empty.
///
/// Wipes only this variable's copy: an array that shares the storage keeps its bytes.
public func wipe(_ secret: inout [UInt8]) {
    unsafe secret.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    secret = []
}
