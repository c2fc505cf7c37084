import COpenSSL

/// One OpenSSL key; OpenSSL frees it and wipes its secret part with the last reference.
///
/// The key is never changed after it is made, and OpenSSL counts its references atomically, so any thread may sign and
/// verify with it, each with a context of its own.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the key; throws OpenSSL's error of `operation` if it is nil.
    init(owning pointer: OpaquePointer?, operation: String) throws(CryptoError) {
        guard let pointer = unsafe pointer else { throw CryptoError.openSSL(operation) }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// The digest that is signed: the algorithm's own, or SHA-256.
    enum Digest {
        case own, sha256

        fileprivate var pointer: OpaquePointer? {
            switch self {
            case .own: nil
            case .sha256: unsafe EVP_sha256()
            }
        }
    }

    /// Returns a signature of at most `maximum` bytes.
    func sign(_ message: [UInt8], digest: Digest, maximum: Int) throws(CryptoError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw CryptoError.openSSL("sign") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: maximum)
        var length = maximum
        guard unsafe EVP_DigestSignInit(context, nil, digest.pointer, nil, pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1,
            length <= maximum
        else { throw CryptoError.openSSL("sign") }
        signature.removeLast(maximum - length)
        return signature
    }

    /// Returns whether the signature is valid for the message under this key.
    func verify(_ signature: [UInt8], of message: [UInt8], digest: Digest) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard unsafe EVP_DigestVerifyInit(context, nil, digest.pointer, nil, pointer) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
