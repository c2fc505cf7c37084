import COpenSSL

/// One encryption or decryption; OpenSSL wipes the expanded key when the context is freed.
@safe struct CipherContext: ~Copyable {
    let pointer: OpaquePointer
    private let operation: String

    init(operation: String) throws(CryptoError) {
        guard let pointer = unsafe EVP_CIPHER_CTX_new() else { throw CryptoError.openSSL(operation) }
        unsafe self.pointer = unsafe pointer
        self.operation = operation
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(pointer)
    }

    /// Sets the cipher and the direction; must precede the lengths.
    func choose(_ cipher: Cipher, sealing: Bool) throws(CryptoError) {
        try check(unsafe EVP_CipherInit_ex(pointer, cipher.pointer, nil, nil, nil, sealing ? 1 : 0))
    }

    func setNonceLength(_ count: Int) throws(CryptoError) {
        try check(unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_IVLEN, Int32(count), nil))
    }

    /// Sets the expected tag, before opening.
    func setTag(_ tag: [UInt8]) throws(CryptoError) {
        var tag = tag
        try check(unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
    }

    /// Sets the length of the tag, before sealing.
    func setTagLength(_ count: Int) throws(CryptoError) {
        try check(unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(count), nil))
    }

    func setKey(_ key: [UInt8], nonce: [UInt8]) throws(CryptoError) {
        try check(unsafe EVP_CipherInit_ex(pointer, nil, nil, key, nonce, -1))
    }

    /// Sets the length of the text, which CCM needs before its first byte.
    func announce(textBytes: Int) throws(CryptoError) {
        var written: Int32 = 0
        try check(unsafe EVP_CipherUpdate(pointer, nil, &written, nil, Int32(textBytes)))
    }

    func authenticate(_ aad: [UInt8]) throws(CryptoError) {
        guard !aad.isEmpty else { return }
        var written: Int32 = 0
        try check(unsafe EVP_CipherUpdate(pointer, nil, &written, aad, Int32(aad.count)))
    }

    /// Returns the encrypted or decrypted text, of the same length.
    func turn(_ text: [UInt8]) throws(CryptoError) -> [UInt8] {
        var other = [UInt8](repeating: 0, count: text.count)
        var written: Int32 = 0
        try check(unsafe EVP_CipherUpdate(pointer, &other, &written, text, Int32(text.count)))
        guard Int(written) == text.count else { throw CryptoError.openSSL(operation) }
        return other
    }

    /// Ends the operation; when opening with GCM, throws if the tag differs.
    func finish() throws(CryptoError) {
        var rest = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        try check(unsafe EVP_CipherFinal_ex(pointer, &rest, &written))
    }

    func tag(_ count: Int) throws(CryptoError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: count)
        try check(unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(count), &tag))
        return tag
    }

    private func check(_ result: Int32) throws(CryptoError) {
        guard result > 0 else { throw CryptoError.openSSL(operation) }
    }
}

/// A cipher that is looked up once: the look-up costs more than encrypting a short text.
@safe struct Cipher: @unchecked Sendable {
    let pointer: OpaquePointer

    static let aes128CCM = Cipher("AES-128-CCM")
    static let aes192CCM = Cipher("AES-192-CCM")
    static let aes256CCM = Cipher("AES-256-CCM")
    static let aes256GCM = Cipher("AES-256-GCM")
    static let aes128GCM = Cipher("AES-128-GCM")
    static let aes128ECB = Cipher("AES-128-ECB")

    private init(_ name: String) {
        guard let pointer = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL has no \(name)")
        }
        unsafe self.pointer = unsafe pointer
    }
}
