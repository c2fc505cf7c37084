import COpenSSL

/// An in-memory byte pipe of OpenSSL (`BIO_s_mem`).
@safe struct MemoryBIO: ~Copyable {
    let pointer: OpaquePointer

    init(operation: String) throws(CryptoError) {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { throw CryptoError.openSSL(operation) }
        unsafe self.pointer = unsafe pointer
    }

    /// Returns a pipe filled with a document of at most `CryptoLimits.documentBytes`.
    static func holding(_ bytes: [UInt8], operation: String) throws(CryptoError) -> MemoryBIO {
        guard bytes.count <= CryptoLimits.documentBytes else {
            throw CryptoError(operation: operation, reason: "too long")
        }
        let bio = try MemoryBIO(operation: operation)
        guard unsafe bytes.isEmpty || BIO_write(bio.pointer, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw CryptoError.openSSL(operation)
        }
        return bio
    }

    deinit {
        unsafe BIO_free_all(pointer)
    }

    /// Removes and returns all bytes in the pipe.
    func contents() -> [UInt8] {
        var contents: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        defer { wipe(&block) }
        while case let count = unsafe BIO_read(pointer, &block, Int32(block.count)), count > 0 {
            contents += block.prefix(Int(count))
        }
        return contents
    }
}

/// Copies bytes that OpenSSL allocated, then wipes and frees them.
func taking(_ start: UnsafeMutablePointer<UInt8>?, count: Int, operation: String) throws(CryptoError) -> [UInt8] {
    guard let start = unsafe start, count > 0 else { throw CryptoError.openSSL(operation) }
    defer { unsafe CRYPTO_clear_free(start, count, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
}
